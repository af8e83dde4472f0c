import { hydrateRoot } from 'react-dom/client'
import type { StartData } from '#contract/start.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { findPlace } from './enroll/wizard.ts'
import './style/index.css'

/** Wakes up the page that the server sent. */
async function wake() {
  const root = document.getElementById('foyer')
  const start: StartData | null = JSON.parse(document.getElementById('start')?.textContent ?? 'null')
  if (root && start) hydrateRoot(root, <EnrollPage start={start} place={await findPlace(start)} />)
}

// Not awaited here: the steps that are fetched later import this file, and would wait for themselves.
wake()
