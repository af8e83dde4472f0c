import { startTransition } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { OfficeStart } from '#contract/pages.ts'
import { API, pageHits } from '#contract/paths.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { ask } from './dialog/ask.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { orderFailed } from './enroll/order/orderFailed.ts'
import { createSteps } from './enroll/steps.ts'
import { currentEntry } from './enroll/wizard/history.ts'
import { findResumePoint } from './enroll/wizard/resume.ts'
import { createWizard } from './enroll/wizard/wizard.ts'
import { loadSecondScript } from './loadSecondScript.ts'
import { log } from './log.ts'
import { request } from './network.ts'
import { loadReceipt } from './storage.ts'
import { hasInteracted, whenIdle } from './timing.ts'
import './main.css'

export * from './react.ts'

async function startPage() {
  const root = document.getElementById('foyer')
  const start: StartData | FallbackStart | OfficeStart | null = JSON.parse(
    document.getElementById('start')?.textContent ?? 'null',
  )
  if (!root || !start || 'screen' in start) return // the office's page, which takes React from here
  if (!('sponsor' in start)) return renderFallback(root, start)
  if (start.joined_as) return resumeAfterJoining(root, start)
  const page = await createEnrollPage(start)
  if (window.pressed) flushSync(() => hydrateRoot(root, page))
  else startTransition(() => void hydrateRoot(root, page)) // in small pieces, so that typing is never blocked
}

/** The page needs no script, unless a reload or Back leads to a step that shows the payment's outcome. */
async function resumeAfterJoining(root: HTMLElement, start: StartData) {
  const showsOutcome = /PAYMENT|ACCESS/.test(currentEntry()?.step ?? '') && loadReceipt()
  if (showsOutcome) createRoot(root).render(await createEnrollPage(start))
  else document.documentElement.classList.remove('resuming')
}

async function createEnrollPage(start: StartData) {
  loadSecondScript(false)
  const steps = createSteps()
  const resumePoint = await findResumePoint(start, steps)
  if (hasInteracted()) steps.loadNext(resumePoint.step, start.policy).catch(() => undefined)
  if (start.site_hosts.includes(location.host)) whenIdle(() => countVisit(start.sponsor.site))
  return <EnrollPage wizard={createWizard({ start, resumePoint, steps })} steps={steps} />
}

/** The server had no start data: fetches it here. */
async function renderFallback(root: HTMLElement, fallback: FallbackStart) {
  try {
    const { fetchStartData } = await import('./enroll/fetchStartData.ts')
    createRoot(root).render(await createEnrollPage(await fetchStartData(fallback)))
  } catch (cause) {
    log('The start data could not be fetched.', cause)
    document.documentElement.classList.remove('resuming')
    document.documentElement.classList.add('failed')
    ask(orderFailed(cause))
  }
}

/** Once per load, and only once the page is visible: a prefetched page is not a visit. */
async function countVisit(sponsor_site: string) {
  try {
    await whenVisible()
    const reply = await request(API + pageHits.path.replace(':sponsor_site', encodeURIComponent(sponsor_site)))
    await reply.text() // an unread reply keeps its connection
  } catch (cause) {
    log('The visit was not counted.', cause)
  }
}

const whenVisible = () =>
  new Promise<void>((resolve) => {
    const check = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    check()
  })

// Not awaited: later steps import this file, and would wait for themselves.
startPage()
