import { consoleAbuseCalls } from './abuse.ts'
import { consoleAccessCalls } from './access.ts'
import { consoleAuditCalls } from './audit.ts'
import { consoleBrandCalls } from './brand.ts'
import { consoleDocumentCalls } from './documents.ts'
import { consoleFunnelCalls } from './funnel.ts'
import { consoleImportCalls } from './import.ts'
import { consoleKeyCalls } from './keys.ts'
import { consoleMemberCalls } from './members.ts'
import { consoleOverviewCalls } from './overview.ts'
import { consolePackageCalls } from './packages.ts'
import type { ConsoleCall } from './permissions.ts'
import { consoleSponsorCalls } from './sponsors.ts'
import { consoleWebhookCalls } from './webhooks.ts'

/** Everything that the console does. In files of their own, so that no other page loads them. */
export const consoleCalls = {
  ...consoleAccessCalls,
  ...consoleOverviewCalls,
  ...consoleMemberCalls,
  ...consoleImportCalls,
  ...consoleSponsorCalls,
  ...consolePackageCalls,
  ...consoleDocumentCalls,
  ...consoleAbuseCalls,
  ...consoleBrandCalls,
  ...consoleFunnelCalls,
  ...consoleAuditCalls,
  ...consoleKeyCalls,
  ...consoleWebhookCalls,
} as const satisfies Record<string, ConsoleCall>

export type ConsoleCalls = typeof consoleCalls
