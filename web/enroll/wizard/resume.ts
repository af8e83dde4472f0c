import type { StartData, Step } from '#contract/start.ts'
import { firstStep } from '#web/enroll/flow.ts'
import { fetchRules, fetchScreen } from '#web/enroll/steps.tsx'
import { log } from '#web/log.ts'
import { type Draft, loadDraft } from '#web/storage.ts'
import { refreshed } from './draft.ts'

/** What an entry of the browser's history knows: its step, and the step of the entry below it. */
export type Entry = { step: Step; from?: Step }

export const currentEntry = (): Entry | null => history.state

/** Where a visitor goes on, and with which answers. */
export type Place = { step: Step; draft: Draft }

/** Finds it before the page wakes up, and fetches what it needs, so that nothing else flashes first. */
export async function findPlace(start: StartData): Promise<Place> {
  const first = firstStep(start.policy, start.product_id !== undefined)
  const draft = refreshed(loadDraft(), start)
  const entry = currentEntry()
  if (!entry) return { step: first, draft }
  try {
    const { reachable } = await fetchRules()
    const step = reachable(entry.step, draft, start.policy)
    await fetchScreen(step, start)
    return { step, draft }
  } catch (cause) {
    log('The step of before could not be fetched.', cause)
    return { step: first, draft }
  }
}
