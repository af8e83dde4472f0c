import { setTimeout as sleep } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '../seeded-random.ts'
import type { Workspace } from '../site/workspace.ts'
import type { Act } from './book.ts'
import { daysLater } from './calendar.ts'
import { type DrivenSite, HOUR_MS, MINUTE_MS, startDrivenSite } from './driven-site.ts'
import type { Screen } from './expected-screen.ts'
import { firstUp, type Golden, periodStart, type Schedule } from './golden-ledger.ts'
import type { Plan, RaceKind } from './members.ts'
import { firstCard, memberId } from './population.ts'
import type { PriceChange } from './price-changes.ts'

const PRESS_AGAIN_MS = 50

export type ClockOptions = {
  zone: string
  plans: Plan[]
  /** Of each member: one ledger, or several where a race decides. */
  golden: Golden[][]
  schedule: Schedule
  prices: ReadonlyMap<string, PriceChange>
  seed: number
  kills: number
  /** Others, while members are told of the first new prices. */
  killsInPrices: number
  /** After the work of this day, the clock jumps back by more than a day. */
  jumpsBackOn: string
  processes: number
  lanes: number
  onDay: (day: string) => void
}
/** What a member saw at the end of a day. */
export type Look = { plan: Plan; day: string; screen: Screen }
export type Outcome = {
  killed: number
  killedAtWork: number
  log: string
  ledgerFile: string
  looks: Look[]
  /** Where the site said no, or didn't, against the rules. */
  wrongAnswers: string[]
}

/** Lets the days pass, and on each of them the workers, the bank and the members do what is due. */
export async function advanceClock(workspace: Workspace, options: ClockOptions): Promise<Outcome> {
  const { plans, golden, schedule, prices, jumpsBackOn, onDay } = options
  const random = seededRandom(options.seed, plans.length)
  const [firstDay = ''] = schedule.days
  const site = await startDrivenSite(workspace, { ...options, firstDay, random })
  const declinesOf = scriptByDay(plans)
  const actsOf = actsByDay(plans, golden)
  const racesOf = racesByDay(plans, schedule)
  const looksOf = looksByDay(plans, golden, schedule)
  const killDays = busiestDays(golden, options.kills)
  const withoutMail = schedule.days.filter((day) => !schedule.hasMail(day))
  const busy = busyDays(golden, [...prices.keys(), ...racesOf.keys(), ...looksOf.keys(), ...withoutMail, jumpsBackOn])
  const looks: Look[] = []
  const wrongAnswers: string[] = []
  let priceKills = options.killsInPrices
  let isCharging = true
  let killed = 0
  let killedAtWork = 0

  /** Kills a worker while it works. The next minute may begin before the work of the last one is done. */
  const morning = async (day: string) => {
    const kills = killDays.get(day) ?? 0
    const works = [site.work()]
    for (const raced of racesOf.get(day) ?? []) works.push(race(site, random, raced))
    for (let count = 0; count < kills; count++) {
      await sleep(random.below(60))
      killed += 1
      if (await site.pool.kill()) killedAtWork += 1
      works.push(site.work())
    }
    if (random.chance(0.5)) await Promise.all(works)
    else await sleep(random.below(100))
    site.forward(MINUTE_MS)
    works.push(site.work())
    return Math.max(kills, ...(await Promise.all(works)))
  }

  for (const day of schedule.days) {
    const newDeclines = declinesOf.get(day)
    if (newDeclines) await site.decline(newDeclines)
    if (!schedule.isUp(day) || !busy.has(day)) continue
    onDay(day)
    site.setClock(day, '06:00:00')
    site.setMail(schedule.hasMail(day))
    if (isCharging !== schedule.isCharging(day)) {
      isCharging = !isCharging
      await site.pool.restart({ RENEWALS: isCharging ? 'on' : 'off' })
    }
    await site.workUntilDone(await morning(day))
    if (day === jumpsBackOn) {
      site.forward(-30 * HOUR_MS)
      await site.work()
      site.forward(30 * HOUR_MS)
    }
    const price = prices.get(day)
    if (price) await changePrices(site, random, day, price, priceKills-- > 0)
    if (actsOf.has(day)) site.setClock(day, '20:00:00')
    for (const acts of actsOf.get(day) ?? []) {
      for (const act of acts) wrongAnswers.push(...(await perform(site, act)))
      await site.workUntilDone()
    }
    if (!schedule.hasMail(day) && schedule.hasMail(daysLater(day, 1))) {
      site.setClock(day, '22:00:00')
      site.setMail(true)
      await site.workUntilDone()
    }
    site.setClock(day, '23:50:00')
    await site.ask({ act: 'housekeeping', member_id: '' })
    if (day > firstDay) await site.ask({ lanes: options.lanes })
    looks.push(...(await lookAt(site, day, looksOf.get(day) ?? [])))
  }
  await site.stop()
  return { killed, killedAtWork, log: site.pool.output(), ledgerFile: site.ledgerFile, looks, wrongAnswers }
}

/** A worker may be killed while the members are told. */
async function changePrices(
  site: DrivenSite,
  random: SeededRandom,
  day: string,
  price: PriceChange,
  isKilled: boolean,
) {
  site.setClock(day, '14:00:00')
  await site.ask({ price })
  const begun = site.work()
  if (isKilled) {
    await sleep(random.below(60))
    await site.pool.kill()
  }
  await begun
  await site.workUntilDone()
}

type PlannedAct = Act & { plan: Plan }

/** Returns what was answered against the rules. A lost answer would leave it to the member whether to press again. */
async function perform(site: DrivenSite, { plan, kind, day, shown, isRefused }: PlannedAct): Promise<string[]> {
  if (kind === 'dispute') {
    await site.dispute(plan)
    return []
  }
  if (kind === 'come back') await site.losesAnswers(false)
  const person = { member_id: memberId(plan), moveTo: plan.moveTo, ...(shown === undefined ? {} : { shown }) }
  const reply = await site.ask({ act: kind, ...person })
  if (kind === 'come back') await site.losesAnswers(true)
  const wasRefused = reply !== 'killed' && reply.isRefused
  return Boolean(wasRefused) === Boolean(isRefused)
    ? []
    : [`${plan.email} (${plan.fate}): ${kind} on ${day} was ${wasRefused ? 'refused' : 'allowed'}, shown ${shown}`]
}

const LOOKS_AT_ONCE = 20

async function lookAt(site: DrivenSite, day: string, plans: Plan[]): Promise<Look[]> {
  const looks: Look[] = []
  for (let start = 0; start < plans.length; start += LOOKS_AT_ONCE) {
    const part = plans.slice(start, start + LOOKS_AT_ONCE)
    const reply = await site.ask({ look: part.map(memberId) })
    const screens = (reply !== 'killed' && reply.screens) || []
    looks.push(...part.flatMap((plan, index) => (screens[index] ? [{ plan, day, screen: screens[index] }] : [])))
  }
  return looks
}

type RaceTask = { act: RaceKind; member_id: string }

/** A member acts while the workers are at work. If the process was killed, the member presses the button again. */
async function race(site: DrivenSite, random: SeededRandom, { act, member_id }: RaceTask) {
  await sleep(random.below(40))
  while ((await site.ask({ act, member_id })) === 'killed') await sleep(PRESS_AGAIN_MS)
  return 0
}

const group = <Item>(items: (Item & { on: string })[]) => Map.groupBy(items, ({ on }) => on)

const scriptByDay = (plans: Plan[]) => {
  const scripts = plans.flatMap((plan) =>
    [...plan.declines].map(([n, { code, times }]) => ({
      on: periodStart(plan, n),
      rule: { vault_reference: firstCard(plan), issuer_code: code, times },
    })),
  )
  return new Map([...group(scripts)].map(([on, items]) => [on, items.map(({ rule }) => rule)]))
}

/** The acts of each day, in turns: the first of every member, then the second of those who have one. */
function actsByDay(plans: Plan[], golden: Golden[][]): Map<string, PlannedAct[][]> {
  const turns = new Map<string, PlannedAct[][]>()
  for (const [index, plan] of plans.entries())
    for (const [day, acts] of Map.groupBy(golden[index]?.[0]?.acts ?? [], (act) => act.day)) {
      const ofDay = turns.get(day) ?? []
      turns.set(day, ofDay)
      for (const [turn, act] of acts.entries()) {
        ofDay[turn] ??= []
        ofDay[turn].push({ ...act, plan })
      }
    }
  return turns
}

const racesByDay = (plans: Plan[], schedule: Schedule) =>
  group(
    plans.flatMap((plan) => {
      const { race } = plan
      if (!race) return []
      return [{ on: firstUp(periodStart(plan, race.period), schedule), act: race.kind, member_id: memberId(plan) }]
    }),
  )

/** Whose office is looked at on which day: when it changes, and everyone's on the last day. */
function looksByDay(plans: Plan[], golden: Golden[][], { days }: Schedule): Map<string, Plan[]> {
  const looks = plans.flatMap((plan, index) =>
    [...new Set((golden[index] ?? []).flatMap(({ screens }) => [...screens.keys()]))].map((on) => ({ on, plan })),
  )
  const byDay = new Map([...group(looks)].map(([on, items]) => [on, items.map(({ plan }) => plan)]))
  return byDay.set(days.at(-1) ?? '', plans)
}

/** The days on which something happens to someone. If the site does something on another day, it does it a little later. */
const busyDays = (golden: Golden[][], others: string[]): Set<string> =>
  new Set([
    ...others,
    ...golden
      .flat()
      .flatMap(({ attempts, emails, acts, screens }) => [
        ...[...attempts, ...emails, ...acts].map(({ day }) => day),
        ...screens.keys(),
      ]),
  ])

/** The kills, spread over the days with the most charges, so that they hit something. */
function busiestDays(golden: Golden[][], kills: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { day } of golden.flatMap(([first]) => first?.attempts ?? [])) counts.set(day, (counts.get(day) ?? 0) + 1)
  const days = [...counts].sort(([, a], [, b]) => b - a).map(([day]) => day)
  const chosen = new Map<string, number>()
  for (let count = 0; count < kills; count++) {
    const day = days[count % days.length] ?? ''
    chosen.set(day, (chosen.get(day) ?? 0) + 1)
  }
  return chosen
}
