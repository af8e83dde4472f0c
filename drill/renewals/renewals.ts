import { setImmediate } from 'node:timers/promises'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { keepEvents } from '../feed/playback.ts'
import type { Backend } from '../site/backends.ts'
import { advanceClock } from './advance-clock.ts'
import { auditRenewals, type Findings } from './audit.ts'
import { daysBetween, daysLater, monthsLater } from './calendar.ts'
import { type Golden, goldenLedger, raceWinners } from './golden-ledger.ts'
import { planMembers } from './members.ts'
import { addMembers } from './population.ts'
import { priceChangesOf } from './price-changes.ts'

/** For some days, counted from the first one, the whole site is down, RENEWALS is off, or the mail server is down. */
type Trouble = { what: 'site' | 'renewals' | 'mail'; after: number; days: number }

/** A site with its own time zone and database. */
type SiteYear = {
  zone: string
  members: number
  /** Which fates its members have: every one of them so many times in a row, from this one on, or only every nth. */
  fates: { from: number; step: number; times: number }
  joinDays: string[]
  months: number
  kills: number
  troubles: Trouble[]
}

const MEMBERS = { PostgreSQL: 400, embedded: 120 }
const KILLS = { PostgreSQL: 10, embedded: 4 }
const LANES = 4
/** They mostly wait for each other's answers. */
const SITES_AT_ONCE = 2
const FIRST_JOIN = '2027-12-01'
const JOIN_DAYS = 74

/** From the first place on Earth where a day begins to the last but one. In Santiago, clocks skip midnight. */
const zones = [
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/Santiago',
  'Asia/Kathmandu',
  'America/New_York',
] as const

const longTroubles: Trouble[] = [
  { what: 'mail', after: 80, days: 4 },
  { what: 'site', after: 100, days: 7 },
  { what: 'renewals', after: 150, days: 24 },
]

/** The join days of all sites cover a leap year. */
const longYears = ({ name }: Backend): SiteYear[] =>
  zones.map((zone, index) => {
    const from = daysLater(FIRST_JOIN, index * (JOIN_DAYS - 1))
    return {
      zone,
      members: MEMBERS[name],
      fates: { from: 0, step: 1, times: name === 'embedded' ? 1 : 3 },
      joinDays: daysBetween(from, daysLater(from, JOIN_DAYS - 1)),
      months: 13,
      kills: KILLS[name],
      troubles: [
        ...longTroubles,
        ...(zone === 'America/Santiago' ? [{ what: 'site', after: 200, days: 70 } as const] : []),
      ],
    }
  })

/** Includes the 31st, 29 February, and a downtime that hides a whole month. On PostgreSQL, two sites share all fates. */
const shortYears = ({ name }: Backend): SiteYear[] => {
  const joinDays = ['2028-01-29', '2028-01-31', '2028-02-14', '2028-02-29']
  const mail: Trouble = { what: 'mail', after: 33, days: 4 }
  const week: Trouble = { what: 'site', after: 40, days: 7 }
  if (name === 'embedded') {
    const few = { members: 13, months: 2, kills: 1, fates: { from: 0, step: 3, times: 1 } }
    return [{ ...few, zone: 'Pacific/Pago_Pago', joinDays, troubles: [mail, week] }] // starting this database again takes seconds
  }
  const half = { joinDays, members: 20, months: 3, kills: 1 }
  const month: Trouble = { what: 'site', after: 90, days: 38 }
  const off: Trouble = { what: 'renewals', after: 66, days: 16 }
  return [
    { ...half, zone: zones[0], fates: { from: 0, step: 2, times: 1 }, troubles: [mail, week, month] },
    { ...half, zone: zones[4], fates: { from: 1, step: 2, times: 1 }, troubles: [mail, week, off] },
  ]
}

/**
 * Months of renewals on a clock that the drill advances, compared with a ledger that is computed separately: every charge,
 * every amount, date and card in every email, and what the office shows each time that changes. Each guard was taken away
 * once, and this is what noticed:
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
 * - an event with every change: what they play back to is compared with the tables (SPEC 27.1)
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
  const { zone, joinDays, months, kills, troubles, fates } = year
  const members = run.members ?? year.members
  const seed = run.seed + (zones as readonly string[]).indexOf(zone)
  const startTime = performance.now()
  const [firstDay = ''] = joinDays
  const days = daysBetween(firstDay, daysLater(monthsLater(joinDays.at(-1) ?? '', months), 20))
  const works = (what: Trouble['what']) => {
    const broken = new Set(
      troubles
        .filter((one) => one.what === what)
        .flatMap(({ after, days: length }) => days.slice(after, after + length)),
    )
    return (day: string) => !broken.has(day)
  }
  const schedule = { days, isUp: works('site'), isCharging: works('renewals'), hasMail: works('mail') }
  const changes = priceChangesOf(firstDay, run.short ? 'short' : 'long')
  const plans = planMembers({ count: members, joinDays, periods: days.length / 28, seed, fates })
  const workspace = await backend.createWorkspace()
  const before = await workspace.open()
  await keepEvents(before.db)
  const prices = { first: await addMembers(before.db, zone, plans), changes }
  await before.close()
  const golden: Golden[][] = []
  for (const plan of plans) {
    golden.push(raceWinners(plan).map((winner) => goldenLedger(plan, schedule, prices, winner)))
    await setImmediate() // the other site's database has answered, and its query must not time out
  }
  const isShared = backend.name === 'PostgreSQL'
  const processes = !isShared ? 1 : run.short ? 2 : 4
  const outcome = await advanceClock(workspace, {
    zone,
    plans,
    golden,
    schedule,
    prices: changes,
    kills,
    seed,
    jumpsBackOn: days[Math.floor(days.length / 3)] ?? '',
    killsInPrices: isShared ? 1 : 0,
    processes,
    lanes: LANES / processes,
    onDay: (day) =>
      run.showProgress(
        backend.name,
        `renewals: ${zone} ${day}, ${Math.round((performance.now() - startTime) / 1000)} s`,
      ),
  })
  const after = await workspace.open()
  const { findings, captures, attempts, emails } = await auditRenewals(after.db, { zone, plans, golden, ...outcome })
  await after.close()
  await workspace.remove()
  for (const line of examples(findings)) run.print(line)
  const problems = Object.entries(findings).filter(([, list]) => list.length)
  run.print(
    `${zone}: ${attempts} attempts, ${captures} captures, ${emails} emails, ${outcome.looks.length} screens, ${outcome.killed} kills, ${problems.length} kinds of problems`,
  )
  return {
    action: `${zone}: ${members} members over ${months} months, ${attempts} attempts, ${captures} captures, ${emails} emails, ${outcome.looks.length} screens, four workers, ${outcome.killed} × kill -9 (${outcome.killedAtWork} at work), one answer in ten lost, ${troublesText(troubles)}, a clock that jumps back, ${changes.size} price changes, seed ${run.seed}`,
    expected: '17.31 17.32 17.33 17.34 17.35 17.36 27.1 as the golden ledger says, to the cent and to the day',
    result: problems.length ? problems.map(([kind, list]) => `${list.length} ${kind}`).join(', ') : 'as it says',
    passed: problems.length === 0 && captures > members && outcome.killed === kills,
  }
}

const troublesText = (troubles: Trouble[]) =>
  troubles.map(({ what, days }) => `${days} days without ${what}`).join(', ')

const EXAMPLES = 3
const examples = (findings: Findings): string[] =>
  Object.entries(findings).flatMap(([kind, list]) =>
    list.slice(0, EXAMPLES).map((text) => `  ${kind}: ${text.slice(0, 400)}`),
  )
