import { forgetSeals, rememberedSeals } from '#server/audit/audit.ts'
import { findLostEvents, forgetEvents } from '#server/security/written-events.ts'
import type { Site } from './site.ts'

/** Empties the audit log and the security log, and what the process remembers of them. */
export async function emptyLogs({ db, world }: Site): Promise<void> {
  for (const table of ['audit', 'audit_head', 'security_event'] as const) await db.deleteFrom(table).execute()
  forgetSeals(world.keys, rememberedSeals(world.keys))
  forgetEvents(world.keys, await findLostEvents(world))
}
