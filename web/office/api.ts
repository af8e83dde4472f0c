import { officeCalls } from '#contract/office-calls.ts'
import { clientOf } from '#web/api.ts'

/** The calls of the office. */
export const officeApi = clientOf(officeCalls)
