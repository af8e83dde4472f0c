import type { StartData } from '#contract/start.ts'
import { loadDialCodes } from '#web/form/PhoneField.tsx'
import { log } from '#web/log.ts'
import { forgetDraft, loadDialCountry, loadDraft, loadPhones, loadReceipt, loadShared } from '#web/storage.ts'
import { firstStep } from '../flow.ts'
import { restoreDraft } from '../order/order.ts'
import { currentEntry } from './history.ts'
import type { StepLoader } from './loading.ts'
import type { ResumePoint } from './state.ts'

/** Finds out before hydration where the visitor resumes, and loads that step, so that no other step flashes first. */
export async function findResumePoint(start: StartData, steps: StepLoader): Promise<ResumePoint> {
  if (!loadShared().enrollment_id) forgetDraft() // too old, or another person's
  const stored = {
    draft: restoreDraft(loadDraft(), start),
    phones: loadPhones(),
    receipt: loadReceipt(),
  }
  if (stored.draft.mobile_phone || loadDialCountry()) await loadDialCodes().catch(() => undefined) // to show the number as typed
  const first = firstStep(start.policy, start.product_id !== undefined)
  await steps.load(first)
  const entry = currentEntry()
  if (!entry) return { step: first, ...stored }
  try {
    const { reachableStep } = await steps.loadRules()
    const step = reachableStep(entry.step, stored, start.policy)
    await steps.load(step)
    return { step, ...stored, isPasswordLost: Boolean(stored.draft.username) } // its field is the one before
  } catch (cause) {
    log('The next step could not be loaded.', cause)
    return { step: first, ...stored }
  }
}
