import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { setVolumes } from '#server/catalog/volumes.ts'
import { readConfig } from '#server/config/config.ts'
import { writeMonth } from '#server/connect/commission/commission.ts'
import type { Db } from '#server/db/db.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import type { World } from '#server/world/world.ts'
import type { Drill, ReportRow } from '../drill.ts'
import { seededRandom } from '../seeded-random.ts'
import type { Backend } from '../site/backends.ts'
import type { Workspace } from '../site/workspace.ts'
import { type Moves, moveAround } from './mover.ts'
import { addMembers } from './population.ts'

const LONG = { members: 1_500, changes: 10_000, rounds: 5 }
const SHORT = { members: 40, changes: 120, rounds: 2 }
const MONTH = '2026-10'
const MONTH_MADE = new Date('2026-11-01T06:00:00Z')
const CHANGES_START = new Date('2026-11-02T12:00:00Z')
const ROUND_MS = 3_600_000

/** A month's commission files before and after thousands of later changes. Two processes make them where they can share. */
export const commission: Drill = async (run, backend) => {
  const { members, changes, rounds } = run.short ? SHORT : LONG
  const workspace = await backend.createWorkspace()
  const folder = (name: string) => join(workspace.folder, name)
  const totals: Moves = { moved: 0, placed: 0, changed: 0, refused: 0 }
  let [different, circles, clock] = [0, 0, MONTH_MADE]
  const staff_id = randomUUID()
  const before = await withWorld(workspace, clock, async (world) => {
    await addMembers(world.db, members, seededRandom(run.seed, 0))
    await addStaff(world.db, staff_id)
    await setFirstVolumes(world)
    return make(world, folder('before'))
  })
  for (let round = 1; round <= rounds; round++) {
    run.showProgress(backend.name, `commission: round ${round} of ${rounds}`)
    clock = new Date(CHANGES_START.getTime() + round * ROUND_MS)
    const task = { staff_id, members, changes: Math.ceil(changes / rounds / 2), seed: run.seed }
    for (const counts of await moveTogether(backend, workspace, clock, task, round))
      for (const name of Object.keys(totals) as (keyof Moves)[]) totals[name] += counts[name]
    await withWorld(workspace, new Date(clock.getTime() + ROUND_MS / 2), async (world) => {
      circles += await countCircles(world.db)
      const after = await make(world, folder(`after-${round}`)).catch(() => new Map<string, string>())
      if ([...before].some(([name, content]) => after.get(name) !== content)) different += 1
    })
  }
  await workspace.remove()
  return report(totals, { different, circles, rounds, files: before.size })
}

type Findings = { different: number; circles: number; rounds: number; files: number }

function report(totals: Moves, { different, circles, rounds, files }: Findings): ReportRow[] {
  const { moved, placed, changed, refused } = totals
  const action = `31.14 ${moved} moves, ${placed} placements, ${changed} other changes, ${refused} refused`
  return [
    {
      action,
      expected: `${files} files of the month the same after each of ${rounds} rounds`,
      result: different ? `different after ${different} rounds` : 'the same to the byte',
      passed: different === 0 && files === 8 && moved > 0 && placed > 0 && changed > 0,
    },
    {
      action: 'both trees climbed from every member, after each round',
      expected: 'no circle',
      result: circles ? `${circles} members in circles` : 'none',
      passed: circles === 0,
    },
  ]
}

async function withWorld<Result>(workspace: Workspace, at: Date, work: (world: World) => Promise<Result>) {
  const startedAt = performance.now()
  const now = () => new Date(at.getTime() + performance.now() - startedAt)
  const config = readConfig({ ...workspace.settings, TIME_ZONE: 'UTC' })
  const world = await createWorld({ config, log: createLog('silent'), now })
  try {
    return await work(world)
  } finally {
    await world.close()
  }
}

const addStaff = (db: Db, id: string) =>
  db
    .insertInto('staff')
    .values({ id, email: 'drill@staff.example', name: 'Drill', role: 'owner', created_at: MONTH_MADE })
    .execute()

const setFirstVolumes = (world: World) =>
  setVolumes(world, {
    ...{ product_id: 34, occasion: 'joining', price_cents: 9900, set_by: 'drill' },
    ...{ business_volume: 6000, commissionable_volume: 5000 },
  })

async function make(world: World, out: string): Promise<Map<string, string>> {
  await writeMonth(world, MONTH, out)
  const names = await readdir(out)
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => [name, await readFile(join(out, name), 'latin1')]),
    ),
  )
}

type Task = { staff_id: string; members: number; changes: number; seed: number }
const run = promisify(execFile)

/** Two processes on PostgreSQL. The embedded database has one, which does two things at a time. */
async function moveTogether(
  backend: Backend,
  workspace: Workspace,
  at: Date,
  task: Task,
  round: number,
): Promise<Moves[]> {
  const numbers = [round * 2, round * 2 + 1]
  if (backend.name === 'embedded')
    return withWorld(workspace, at, (world) =>
      Promise.all(numbers.map((n) => moveAround({ ...task, world, random: seededRandom(task.seed, n) }))),
    )
  const { PATH = '', HOME = '' } = process.env
  return Promise.all(
    numbers.map(async (n) => {
      const args = [
        join(import.meta.dirname, 'mover-process.ts'),
        JSON.stringify({ ...task, n, start: at.toISOString() }),
      ]
      const { stdout } = await run(process.execPath, args, { env: { PATH, HOME, ...workspace.settings } })
      return JSON.parse(stdout) as Moves
    }),
  )
}

/** Members whose way up never ends, in the tree of sponsors or of placements. */
async function countCircles(db: Db): Promise<number> {
  const { rows } = await sql<{ id: string; sponsor: string | null; parent: string | null }>`
    select member.id, sponsor.member_id as sponsor, coalesce(placed.parent_id, sponsor.member_id) as parent
    from member join sponsor on sponsor.id = member.sponsor_id
      left join lateral (select parent_id from placement_move where placement_move.member_id = member.id
        order by moved_at desc limit 1) placed on true`.execute(db)
  const climbs = (above: Map<string, string | null>) =>
    rows.filter(({ id }) => {
      let next = above.get(id) ?? null
      for (let height = 0; next && height <= rows.length; height++) next = above.get(next) ?? null
      return next !== null
    }).length
  return (
    climbs(new Map(rows.map(({ id, sponsor }) => [id, sponsor]))) +
    climbs(new Map(rows.map(({ id, parent }) => [id, parent])))
  )
}
