import type { consoleAuditCalls } from '#contract/console/audit.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import type { HandlersOf } from '../console.ts'
import { listAudit } from './audit.ts'
import { viewSettings } from './settings.ts'

export const auditHandlers = {
  listAudit: (input, { world }) => listAudit(world, input),
  verifyAudit: (_input, { world }) => verifyAudit(world),
  getSettings: async (_input, { world }) => viewSettings(world),
} satisfies HandlersOf<typeof consoleAuditCalls>
