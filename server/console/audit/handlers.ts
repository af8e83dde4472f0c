import type { consoleAuditCalls } from '#contract/console/audit.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import { acknowledgeTampering } from '#server/audit/tampering.ts'
import type { HandlersOf } from '../console.ts'
import { listAudit } from './audit.ts'
import { exportAudit } from './audit-export.ts'
import { viewSettings } from './settings.ts'

export const auditHandlers = {
  listAudit: (input, { world }) => listAudit(world, input),
  exportAudit: (input, { world, session }) => exportAudit(world, input, session),
  verifyAudit: (_input, { world }) => verifyAudit(world),
  acknowledgeReports: async ({ position, reason }, { world, session }) => {
    await acknowledgeTampering(world, { position: Number(position), reason, actor: session.staff })
    return verifyAudit(world)
  },
  getSettings: async (_input, { world }) => viewSettings(world),
} satisfies HandlersOf<typeof consoleAuditCalls>
