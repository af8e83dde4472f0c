import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import type { World } from '#server/world/world.ts'
import { continueImport, inviteSome } from './import.ts'

/** After this long, the jobs behind it get a turn. Each part is its own transaction, so it may be killed anywhere. */
const TURN_MS = 3_000

export async function continueInBackground(world: World, { import_id }: JobPayloads['import']): Promise<void> {
  const until = performance.now() + TURN_MS
  while (performance.now() < until) if (!(await continueImport(world, import_id))) return
  await addJob(world.db, 'import', { import_id }, world.now())
}

export async function inviteInBackground(world: World): Promise<void> {
  if (await inviteSome(world)) await addJob(world.db, 'invite_imported', {}, world.now())
}
