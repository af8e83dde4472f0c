import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { createHttpClient } from '../../drill/visitor/http-client.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles } from '../statistics.ts'
import { createDatabase, withClient } from './database.ts'
import { visitorSettings } from './enrollment-rate.ts'
import { enrollModel } from './growth.ts'
import { addMembers } from './population.ts'
import { startFoyer } from './programs/programs.ts'
import { fillInForm, submitEnrollment } from './visitor.ts'

const { gateway_ms, rate_of_limit, few_members, many_members, most_slowdown, most_growth_of_claim } = budgets.renewals
const AT_ONCE = 12
/** Enough that no side runs out of work while we measure. */
const DUE_AT_ONCE = 2_000
/** Calls in a round, and the longest pause before one. */
const SAMPLES = 60
const VISIT_MS = 100
/** A worker of an idle site looks every five seconds. */
const UNTIL_WORKER_LOOKS_MS = 6_000
type TimedCall = () => Promise<unknown>

/** Renewals of a million members, and what they cost the visitors. */
export const renewals: Part = async ({ short, log, saveFigures }) => {
  const counts = { few: few_members, many: short ? few_members * 2 : many_members }
  const databases = { few: await createDatabase(), many: await createDatabase() }
  const sandbox = await startSandbox(databases.many, [{ on: 'charge', fault: 'slow', share: 1, ms: gateway_ms }])
  const settings = { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url, RENEWALS_AT_ONCE: String(AT_ONCE) }
  for (const size of ['few', 'many'] as const) {
    log(`renewals: ${formatNumber(counts[size])} members …`)
    const model = await enrollModel(databases[size], settings)
    await addMembers(databases[size], model, counts[size])
    await shareCard(databases[size], model.enrollment_id)
  }
  const pages = { few: await claimPages(databases.few), many: await claimPages(databases.many) }

  const database = databases.many
  const foyer = await startFoyer({ database, settings, preload: ['no-hash'] })
  const caller = createHttpClient(foyer.url, 4)
  const rates: number[] = []
  const seconds = short ? 3 : 10
  for (let round = 0; round < (short ? 1 : 5); round++) {
    log(`renewals: measuring the rate, ${round + 1} …`)
    await makeDue(database, DUE_AT_ONCE)
    await sleep(UNTIL_WORKER_LOOKS_MS)
    const before = await countRenewals(database)
    const start = performance.now()
    await sleep(seconds * 1000)
    const renewed = (await countRenewals(database)) - before
    rates.push((renewed * 1000) / (performance.now() - start))
  }
  log('renewals: page and enrollment during a run …')
  const during = (isBusy: boolean, prepare: () => Promise<TimedCall>) => async () => {
    await makeDue(database, isBusy ? DUE_AT_ONCE : 0)
    await sleep(UNTIL_WORKER_LOOKS_MS)
    const times: number[] = []
    for (let sample = 0; sample < SAMPLES; sample++) {
      const timedCall = await prepare()
      await sleep(Math.random() * VISIT_MS) // visitors do not come in step with the renewals
      const start = performance.now()
      await timedCall()
      times.push(performance.now() - start)
    }
    return quartiles(times).median
  }
  const compare = (prepare: () => Promise<TimedCall>) =>
    measureInTurns({ busy: during(true, prepare), idle: during(false, prepare) }, short ? 1 : 9)
  let visit = 0
  const pageTimes = await compare(async () => {
    const path = `/m${1 + (visit++ % few_members)}`
    return () => caller.get(path)
  })
  const enrollTimes = await compare(async () => {
    const visitor = await fillInForm(caller)
    return async () => {
      const outcome = await submitEnrollment(foyer.url, visitor)
      if (outcome !== 'Approved') throw new Error(outcome)
    }
  })
  caller.close()
  await foyer.stop()
  await sandbox.stop()
  await Promise.all(Object.values(databases).map((one) => one.remove()))
  saveFigures('renewals', { counts, rates, pageTimes, enrollTimes, pages })
  return [
    rateRow(rates, counts.many),
    slowdownRow('the page', pageTimes),
    slowdownRow('an enrollment', enrollTimes),
    growthRow(pages, counts),
  ]
}

/** The gateway knows only the model's card, so all members pay with it. Everybody is in the first month, which is paid. */
const shareCard = (database: Workspace, enrollment_id: string) =>
  withClient(database, async (client) => {
    await client.query(
      `update membership set vault_reference = model.vault_reference, due_at = now() + interval '20 days'
       from membership model join member m on m.id = model.member_id where m.enrollment_id = $1`,
      [enrollment_id],
    )
    await client.query('vacuum (full, analyze) membership')
  })

/** So many members of those who have not renewed yet are due, and no one else. */
const makeDue = (database: Workspace, count: number) =>
  withClient(database, async (client) => {
    await client.query(
      `update membership set due_at = now() + interval '20 days' where due_at < now() + interval '1 hour'`,
    )
    await client.query(
      `update membership set due_at = now() - interval '1 minute', anchor_on = current_date - 40
       where member_id in (select member_id from membership where period = 0 and due_at is not null limit $1)`,
      [count],
    )
  })

const countRenewals = (database: Workspace) =>
  withClient(database, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from payment where period > 0 and state = 'captured'`,
    )
    return Number(rows[0]?.count)
  })

/** The pages of the database that are touched to find who is due, when a batch is. */
const claimPages = async (database: Workspace): Promise<number> => {
  await makeDue(database, AT_ONCE)
  return withClient(database, async (client) => {
    await client.query('vacuum membership')
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) select member_id from membership where due_at is not null and due_at <= now()
       order by due_at limit ${AT_ONCE} for update skip locked`,
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {}
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
  })
}

function rateRow(rates: number[], members: number): Row {
  const limit = AT_ONCE / (gateway_ms / 1000)
  const { median } = quartiles(rates)
  return {
    goal: `renewals per second with ${formatNumber(members)} members`,
    promise: `≥ ${rate_of_limit} of the limit`,
    measured: `${formatNumber(median)}/s, ${formatNumber(median / limit)}`,
    beside: `the limit: ${AT_ONCE} at once, each ${gateway_ms} ms: ${formatNumber(limit)}/s`,
    spread: formatSpread(quartiles(rates), '/s'),
    ratio: median / limit,
    passed: median / limit >= rate_of_limit,
  }
}

function slowdownRow(name: string, { busy, idle }: Record<'busy' | 'idle', number[]>): Row {
  const ratio = ratioQuartiles(busy, idle)
  return {
    goal: `${name} during a run of renewals`,
    promise: `≤ ${most_slowdown} of the time without`,
    measured: `${formatNumber(quartiles(busy).median)} ms, ${formatNumber(ratio.median)}`,
    beside: `without: ${formatNumber(quartiles(idle).median)} ms`,
    spread: formatSpread(ratio),
    ratio: ratio.median,
    passed: ratio.median <= most_slowdown,
  }
}

function growthRow(pages: Record<'few' | 'many', number>, counts: Record<'few' | 'many', number>): Row {
  const ratio = pages.many / pages.few
  return {
    goal: `pages read to find who is due with ${formatNumber(counts.many)} members`,
    promise: `≤ ${most_growth_of_claim} of ${formatNumber(counts.few)} members`,
    measured: `${pages.many}, ${formatNumber(ratio)}`,
    beside: `with ${formatNumber(counts.few)} members: ${pages.few}`,
    spread: '',
    ratio,
    passed: ratio <= most_growth_of_claim,
  }
}
