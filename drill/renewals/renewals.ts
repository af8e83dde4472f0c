import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import type { Backend } from '../site/backends.ts'
import { advanceClock } from './advance-clock.ts'
import { auditRenewals, type Findings } from './audit.ts'
import { daysBetween, daysLater, monthsLater } from './calendar.ts'
import { goldenLedger, raceWinners } from './golden-ledger.ts'
import { planMembers } from './members.ts'
import { addMembers } from './population.ts'
import { priceChangesOf } from './price-changes.ts'

/** A site with its own time zone and database. The join days of all of them cover a leap year. */
type SiteYear = {
  zone: string
  members: number
  joins: { from: string; days: number }
  months: number
  kills: number
  /** The site is down for these days, counted from the start. */
  downtimes: { after: number; days: number }[]
}

const WEEK = { after: 100, days: 7 }
const MEMBERS = { PostgreSQL: 2000, embedded: 100 }
const KILLS = { PostgreSQL: 10, embedded: 4 }
/** They mostly wait for each other's answers. */
const SITES_AT_ONCE = 2
const FIRST_JOIN = '2027-12-01'
const JOIN_DAYS = 74

/** From the first place on Earth where a day begins to the last but one. In Santiago, clocks skip midnight. */
const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Santiago', 'Asia/Kathmandu', 'America/New_York']

const longYears = ({ name }: Backend): SiteYear[] =>
  zones.map((zone, index) => ({
    zone,
    members: MEMBERS[name],
    joins: { from: daysLater(FIRST_JOIN, index * (JOIN_DAYS - 1)), days: JOIN_DAYS },
    months: 13,
    kills: KILLS[name],
    downtimes: zone === 'America/Santiago' ? [WEEK, { after: 200, days: 70 }] : [WEEK],
  }))

/** Includes the 31st, 29 February, and a downtime that hides a whole month. */
const shortYears = ({ name }: Backend): SiteYear[] => [
  {
    zone: name === 'embedded' ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati',
    members: name === 'embedded' ? 24 : 60,
    joins: { from: '2028-01-29', days: 32 },
    months: 4,
    kills: name === 'embedded' ? 2 : 4,
    downtimes: [
      { after: 40, days: 7 },
      { after: 105, days: 38 },
    ],
  },
]

/**
 * Months of renewals on a clock that the drill advances, compared with a ledger that is computed separately. Each guard was taken away once, and
 * this is what noticed:
 *
 * - the index payment_one_per_period: the audit writes a second charge (SPEC 17.31)
 * - the conditional transition: the next minute begins before slow answers have come, and receipts are doubled
 * - hasOpenCharge: members who cancel and resume while their charge is under way
 * - the lock on the membership: four workers that overlap; the log has errors
 * - counting periods from the anchor: members who joined on the 29th, 30th and 31st
 * - never_retry, also after a downtime: the declines 41, 43 and R1 (SPEC 17.33)
 * - the lookup of unknowns: one answer in ten is lost
 * - waiving missed periods: the downtime that hides a whole month
 * - the notice before a higher price, its day, and its email: the members whose price is below the new one (SPEC 17.34)
 * - a withdrawn rise disappears: the fourth price change, which the fifth takes back
 * - members who have canceled or are on hold keep their price, and no member is told twice: the emails are counted
 * - disputes are found in the books and put the membership on hold: nothing else reports them (SPEC 17.35)
 * - years are counted in years, with one reminder each: the yearly memberships (SPEC 17.36)
 */
export const renewals: Drill = async (run, backend) => {
  const years = (run.short ? shortYears : longYears)(backend)
  const rows: ReportRow[] = []
  const playNext = async () => {
    for (let year = years.shift(); year; year = years.shift()) rows.push(await playYear(run, backend, year))
  }
  await Promise.all(Array.from({ length: SITES_AT_ONCE }, playNext))
  return rows
}

async function playYear(run: DrillRun, backend: Backend, year: SiteYear): Promise<ReportRow> {
  const { zone, joins, months, kills, downtimes } = year
  const members = run.members ?? year.members
  const seed = run.seed + zones.indexOf(zone)
  const startTime = performance.now()
  const joinDays = daysBetween(joins.from, daysLater(joins.from, joins.days - 1))
  const days = daysBetween(joins.from, daysLater(monthsLater(joinDays.at(-1) ?? '', months), 20))
  const isDown = (day: string) =>
    downtimes.some(({ after, days: length }) => day >= (days[after] ?? '') && day < (days[after + length] ?? ''))
  const schedule = { days, isUp: (day: string) => !isDown(day) }
  const prices = priceChangesOf(joins.from, run.short ? 'short' : 'long')
  const plans = planMembers(members, joinDays, days.length / 28, seed)
  const golden = plans.map((plan) => raceWinners(plan).map((winner) => goldenLedger(plan, schedule, prices, winner)))
  const workspace = await backend.createWorkspace()
  const before = await workspace.open()
  await addMembers(before.db, zone, plans)
  await before.close()
  const isShared = backend.name === 'PostgreSQL'
  const outcome = await advanceClock(workspace, {
    zone,
    plans,
    schedule,
    prices,
    kills,
    seed,
    golden: golden.flatMap(([first]) => first ?? []),
    jumpsBackOn: days[Math.floor(days.length / 3)] ?? '',
    processes: isShared ? 4 : 1,
    lanes: isShared ? 1 : 4,
    onDay: (day) =>
      run.showProgress(
        backend.name,
        `renewals: ${zone} ${day}, ${Math.round((performance.now() - startTime) / 1000)} s`,
      ),
  })
  const after = await workspace.open()
  const { findings, captures, attempts } = await auditRenewals(after.db, { zone, plans, golden, ...outcome })
  await after.close()
  await workspace.remove()
  for (const line of examples(findings)) run.print(line)
  const problems = Object.entries(findings).filter(([, list]) => list.length)
  run.print(
    `${zone}: ${attempts} attempts, ${captures} captures, ${outcome.killed} kills, ${problems.length} kinds of problems`,
  )
  return {
    action: `${zone}: ${members} members over ${months} months, ${attempts} attempts, ${captures} captures, four workers, ${outcome.killed} × kill -9 (${outcome.killedAtWork} at work), one answer in ten lost, ${downtimes.map(({ days: length }) => length).join(' and ')} days of downtime, a clock that jumps back, ${prices.size} price changes, seed ${run.seed}`,
    expected: '17.31 17.32 17.33 17.34 17.35 17.36 as the golden ledger says, to the cent and to the day',
    result: problems.length ? problems.map(([kind, list]) => `${list.length} ${kind}`).join(', ') : 'as it says',
    passed: problems.length === 0 && captures > members && outcome.killed === kills,
  }
}

const EXAMPLES = 3
const examples = (findings: Findings): string[] =>
  Object.entries(findings).flatMap(([kind, list]) =>
    list.slice(0, EXAMPLES).map((text) => `  ${kind}: ${text.slice(0, 400)}`),
  )
