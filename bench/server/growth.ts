import { createHash, randomInt } from 'node:crypto'
import { API } from '#contract/api.ts'
import { validAnswers as filled } from '#server/test/answers.ts'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { createHttpClient, type HttpClient, type RequestOptions } from '../../drill/visitor/http-client.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../row.ts'
import { middleOf, rounded, shuffled, spreadOf } from './compare.ts'
import { forCrowds } from './enrollment.ts'
import { openGround, within } from './ground.ts'
import type { Noted } from './noting.ts'
import { scansOf } from './plans.ts'
import { type Model, populate } from './population.ts'
import { startFoyer } from './programs.ts'
import { allDone, fillIn, press } from './visit.ts'

const { growth_few_members, growth_many_members, growth_most_difference } = budgets.server
const MANY_IN_SHORT = 20_000

const { password } = filled('')
const idOf = (model: string, n: number) =>
  createHash('md5')
    .update(`${model}:${n}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** A site with so many members, and the way to ask it. */
type Side = { url: string; caller: HttpClient; model: Model; members: number }
type Timed = () => Promise<unknown>

const get = (path: string, asking?: RequestOptions) => async (side: Side) => () => fine(side.caller.get(path, asking))
const post = (path: string, body: (n: number) => object) => async (side: Side, n: number) => () =>
  fine(side.caller.call('POST', path, { body: body(n) }))

async function fine(answer: ReturnType<HttpClient['send']>) {
  const { status, body, cookies } = await answer
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 300)}`)
  return cookies
}

const nameAndPassword = (n: number) => ({ name: `m${n}`, password })

/** Each call with another member each time: what comes before it is not timed. */
const calls: Record<string, (side: Side, n: number) => Promise<Timed>> = {
  sponsor: (side, n) => get(`${API}/enrollment/get_enrollment_sponsor?sponsor_site=m${n}`)(side),
  packages: get(`${API}/enrollment/enrollment_packages?product_category_id=17&language_id=1`),
  documents: get(`${API}/enrollment/get-all-legal-documents`),
  page: (side, n) => get(`/m${n}`)(side),
  validate_email: post('/enrollment/validate_email', (n) => ({ email: `m${n}@mail.example` })),
  validate_username: post('/enrollment/validate_username', (n) => ({ username: `free${n}` })),
  orders: post('/enrollment/orders', () => ({ product_ids: '34' })),
  status: (side, n) => get(`${API}/enrollment/status`, { key: `${idOf(side.model.enrollment_id, n)}.1` })(side),
  'add-enrollment': async ({ url, caller }) => {
    const ready = await fillIn(caller)
    return async () => {
      const said = await press(url, ready)
      if (said !== 'Approved') throw new Error(said)
    }
  },
  'sign-in': post('/office/sign-in', nameAndPassword),
  'office view': async (side, n) => {
    const [cookie = ''] = (await (await post('/office/sign-in', nameAndPassword)(side, n))()) as string[]
    return get(`${API}/office/view`, { cookie: cookie.split(';')[0] ?? '' })(side)
  },
}
const names = Object.keys(calls)

/** What a million members cost each call, beside a thousand. */
export const growth: Part = async ({ short, say, keep }) => {
  const ground = await openGround()
  const counts = { few: growth_few_members, many: short ? MANY_IN_SHORT : growth_many_members }
  const places = { few: await ground.createWorkspace(), many: await ground.createWorkspace() }
  const sandbox = await startSandbox(places.few)
  const settings = { ...forCrowds, PAYMENT_SANDBOX_URL: sandbox.url }
  const models = { few: await enrollModel(places.few, settings), many: await enrollModel(places.many, settings) }
  for (const side of ['few', 'many'] as const) {
    say(`growth: ${rounded(counts[side])} members …`)
    await populate(places[side], models[side], counts[side])
  }

  const open = async (side: 'few' | 'many', before: string[] = []) => {
    const foyer = await startFoyer({ place: places[side], settings, before: [...before, 'unhashed.ts'] })
    return { ...foyer, caller: createHttpClient(foyer.url, 4), model: models[side], members: counts[side] }
  }
  const sides = { few: await open('few'), many: await open('many') }
  const found: Record<string, Record<'few' | 'many', number[]>> = {}
  for (const name of names) {
    say(`growth: ${name} …`)
    found[name] = await compare(sides, name, short ? 40 : 300)
  }
  for (const side of Object.values(sides)) {
    side.caller.close()
    await side.stop()
  }

  say('growth: looking at the plans …')
  const teller = await open('many', ['noting.ts'])
  const noted: Noted[] = []
  for (const name of names) {
    await (await calls[name]?.(teller, randomInt(1, teller.members)))?.()
    noted.push(...(await teller.ask<Noted[]>({})))
  }
  const { looked, scans } = await within(places.many, (client) => scansOf(client, noted))
  for (const { table, text } of scans) say(`growth: reads all of ${table}: ${text}`)
  teller.caller.close()
  await teller.stop()
  await sandbox.stop()
  await Promise.all(Object.values(places).map((place) => place.remove()))

  keep('growth', { counts, found, scans })
  return [...names.map((name) => rowOf(name, counts, found[name])), planRow(looked, scans, counts.many)]
}

/** The product itself enrolls the one whom all others repeat. */
async function enrollModel(place: Workspace, settings: Record<string, string>): Promise<Model> {
  const foyer = await startFoyer({ place, settings, before: ['unhashed.ts'] })
  const caller = createHttpClient(foyer.url, 1)
  const ready = await fillIn(caller)
  await press(foyer.url, ready)
  caller.close()
  await allDone(place)
  await foyer.stop()
  return ready.heard
}

/** By turns, in random order; never the same member twice, so that nothing is remembered on one side only. */
async function compare(sides: Record<'few' | 'many', Side>, name: string, samples: number) {
  const took: Record<'few' | 'many', number[]> = { few: [], many: [] }
  const WARM = Math.ceil(samples / 4)
  const members = {
    few: shuffled(Array.from({ length: sides.few.members }, (_, n) => n + 1)),
    many: Array.from({ length: samples + WARM }, () => randomInt(1, sides.many.members + 1)),
  }
  for (let sample = 0; sample < samples + WARM; sample++)
    for (const side of shuffled(['few', 'many'] as const)) {
      const timed = await calls[name]?.(sides[side], members[side][sample] ?? 1)
      const begun = performance.now()
      await timed?.()
      if (sample >= WARM) took[side].push(performance.now() - begun)
    }
  return took
}

function rowOf(name: string, counts: Record<'few' | 'many', number>, took = { few: [0], many: [0] }): Row {
  const [few, many] = [middleOf(took.few), middleOf(took.many)]
  const ratio = many.median / few.median
  return {
    goal: `${name}: median with ${rounded(counts.many)} members`,
    promise: `≤ ${1 + growth_most_difference} of ${rounded(counts.few)} members`,
    measured: `${rounded(many.median)} ms, ${rounded(ratio)}`,
    beside: `with ${rounded(counts.few)} members: ${rounded(few.median)} ms; without the hash`,
    spread: spreadOf(many, ' ms'),
    ratio,
    passed: ratio <= 1 + growth_most_difference,
  }
}

const planRow = (looked: number, scans: object[], members: number): Row => ({
  goal: 'every hot statement has an index',
  promise: 'none reads all of a table that grows',
  measured: `${scans.length} of ${looked} do`,
  beside: `EXPLAIN with ${rounded(members)} members`,
  spread: '',
  ratio: undefined,
  passed: scans.length === 0,
})
