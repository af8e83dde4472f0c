import { hydrateRoot } from 'react-dom/client'
import type { StartData } from '#contract/start.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { findPlace } from './enroll/place.ts'
import { log } from './log.ts'
import './style/index.css'

/** Wakes up the page that the server sent. */
async function wake() {
  const root = document.getElementById('foyer')
  const start: StartData | null = JSON.parse(document.getElementById('start')?.textContent ?? 'null')
  if (!root || !start) return
  hydrateRoot(root, <EnrollPage start={start} place={await findPlace(start)} />)
  countVisit(start.sponsor.site)
}

async function countVisit(sponsor_site: string) {
  try {
    const { api } = await import('./api.ts')
    await api.hitPage({ sponsor_site })
  } catch (cause) {
    log('The visit was not counted.', cause)
  }
}

// Not awaited here: the steps that are fetched later import this file, and would wait for themselves.
wake()
