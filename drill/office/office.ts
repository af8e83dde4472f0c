import type { Drill, ReportRow } from '../drill.ts'
import { openOfficeFixture } from './fixture.ts'
import { oneTimeLinks } from './one-time-links.ts'
import { sponsorPrivacy } from './sponsor-privacy.ts'
import { passwordResetTiming, signInTiming } from './timing-leaks.ts'

let previous: Promise<unknown> = Promise.resolve()

/** What the office must not reveal or accept twice. The databases take turns, because the drill measures time. */
export const office: Drill = (run, backend) => {
  const rows = previous.then(() => runOfficeDrill(run, backend))
  previous = rows.catch((): ReportRow[] => [])
  return rows
}

/** The short form runs only the one-time links on both databases, because only they depend on the database. */
const runOfficeDrill: Drill = async (run, backend) => {
  const workspace = await backend.createWorkspace()
  const fixture = await openOfficeFixture(run, backend, workspace)
  const rows = await oneTimeLinks(run, backend, fixture)
  if (!run.short || backend.name === 'PostgreSQL')
    for (const drill of [sponsorPrivacy, signInTiming, passwordResetTiming])
      rows.push(await drill(run, backend, fixture))
  await fixture.close()
  await workspace.remove()
  return rows
}
