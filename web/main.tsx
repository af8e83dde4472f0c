import { startTransition } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { API, pageHits } from '#contract/paths.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { ask } from './dialog/ask.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { orderFailed } from './enroll/order/orderFailed.ts'
import { fetchNext } from './enroll/steps.tsx'
import { findPlace } from './enroll/wizard/resume.ts'
import { loadSecondScript } from './loadSecondScript.ts'
import { log } from './log.ts'
import { request } from './network.ts'
import { hasInteracted, whenIdle } from './timing.ts'
import './style/index.css'

/** Wakes up the page that the server sent. */
async function wake() {
  const root = document.getElementById('foyer')
  const start: StartData | FallbackStart | null = JSON.parse(document.getElementById('start')?.textContent ?? 'null')
  if (!root || !start) return
  if (!('sponsor' in start)) return fill(root, start)
  const page = await enrollPage(start)
  if (window.pressed) flushSync(() => hydrateRoot(root, page))
  else startTransition(() => void hydrateRoot(root, page)) // nobody waits: in small pieces, so that every key is heard
}

async function enrollPage(start: StartData) {
  loadSecondScript(false)
  const place = await findPlace(start)
  if (hasInteracted()) fetchNext(place.step, start).catch(() => undefined) // somebody will soon wait for it
  whenIdle(() => countVisit(start.sponsor.site))
  return <EnrollPage start={start} place={place} />
}

/** The server had nothing to put into the page but its shape: ask for the rest. */
async function fill(root: HTMLElement, bare: FallbackStart) {
  try {
    const { askStart } = await import('./enroll/fetchStartData.ts')
    createRoot(root).render(await enrollPage(await askStart(bare)))
  } catch (cause) {
    log('Nobody could say what the page should show.', cause)
    document.documentElement.classList.remove('resuming')
    document.documentElement.classList.add('failed')
    ask(orderFailed(cause))
  }
}

/** Once per load, and only of a page that somebody sees: one that a browser fetches ahead is nobody's visit yet. */
async function countVisit(sponsor_site: string) {
  try {
    await visible()
    const reply = await request(API + pageHits.path.replace(':sponsor_site', encodeURIComponent(sponsor_site)))
    await reply.text() // unread, it would keep its connection
  } catch (cause) {
    log('The visit was not counted.', cause)
  }
}

const visible = () =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    look()
  })

// Not awaited here: the steps that are fetched later import this file, and would wait for themselves.
wake()
