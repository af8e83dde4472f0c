import { catalogRows } from './catalog-rows.ts'
import { createHost, type HostOptions, NoAnswer } from './host.ts'
import { peopleRows, wholeRunRows } from './people-rows.ts'
import { type Finding, fails, type Group, type Result, type Row, type Run } from './row.ts'
import { phoneRows, writeRows } from './write-rows.ts'

export const rows: Row[] = [...catalogRows, ...peopleRows, ...phoneRows, ...writeRows, ...wholeRunRows]

export type Options = HostOptions & Pick<Run, 'sponsor' | 'phone' | 'cards' | 'mark'> & { groups: ReadonlySet<Group> }

/** Runs every check in turn. Skips checks whose group is off or whose prerequisite didn't hold. */
export async function checkHost({ groups, sponsor, phone, cards, mark, ...host }: Options): Promise<Result[]> {
  const run: Run = { host: createHost(host), sponsor, phone, cards, mark, found: {} }
  const results: Result[] = []
  for (const row of rows) {
    const { id, group, sentence } = row
    results.push({ id, group, sentence, ...(await findingOf(row, run, { groups, results })) })
  }
  if (!run.host.answers.length) throw new Unreachable(results.find(({ verdict }) => verdict === 'fails')?.seen)
  return results
}

/** The host answered no call at all, so there is nothing to judge. */
export class Unreachable extends Error {}

type SoFar = { groups: ReadonlySet<Group>; results: Result[] }

async function findingOf(row: Row, run: Run, { groups, results }: SoFar): Promise<Finding> {
  if (!groups.has(row.group)) return { verdict: 'not tried', seen: `Needs --${row.group}` }
  const isMissing = (id: string) =>
    !results.some((each) => each.id === id && ['holds', 'warning'].includes(each.verdict))
  const ground = row.needs?.find(isMissing)
  if (ground) return { verdict: 'not tried', seen: `Needs ${ground}` }
  try {
    return await row.check(run)
  } catch (error) {
    if (error instanceof NoAnswer) return fails(error.message)
    throw error // a bug in the kit, not in the host
  }
}
