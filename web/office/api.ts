import { officeCalls } from '#contract/office-calls.ts'
import { clientOf } from '#web/api.ts'

export const officeApi = clientOf(officeCalls)
