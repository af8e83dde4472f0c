import { officeCalls } from '#contract/office/office.ts'
import { clientOf } from '#web/api.ts'

export const officeApi = clientOf(officeCalls)
