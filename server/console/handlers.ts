import { abuseHandlers } from './abuse/handlers.ts'
import { accessHandlers } from './access/handlers.ts'
import { auditHandlers } from './audit/handlers.ts'
import { brandHandlers } from './brand/handlers.ts'
import { connectHandlers } from './connect/handlers.ts'
import { guardHandlers } from './console.ts'
import { documentsHandlers } from './documents/handlers.ts'
import { funnelHandlers } from './funnel/handlers.ts'
import { importHandlers } from './import/handlers.ts'
import { membersHandlers } from './members/handlers.ts'
import { overviewHandlers } from './overview/handlers.ts'
import { packagesHandlers } from './packages/handlers.ts'
import { sponsorsHandlers } from './sponsors/handlers.ts'
import { webhooksHandlers } from './webhooks/handlers.ts'

/** The handler of each call of the console, behind the check of its permission. */
export const consoleHandlers = guardHandlers({
  ...accessHandlers,
  ...overviewHandlers,
  ...membersHandlers,
  ...importHandlers,
  ...sponsorsHandlers,
  ...packagesHandlers,
  ...documentsHandlers,
  ...abuseHandlers,
  ...brandHandlers,
  ...funnelHandlers,
  ...auditHandlers,
  ...connectHandlers,
  ...webhooksHandlers,
})
