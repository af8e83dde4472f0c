import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { testDatabase } from '#server/test/database.ts'
import { doEverythingDue } from '#server/worker/worker.ts'
import { freePort } from '../../scripts/port.mjs'
import { testSettings } from '../site/processes.ts'
import { createHttpClient, type HttpClient } from '../visitor/http-client.ts'
import {
  answersOf,
  arrive,
  callsOf,
  cards,
  solveCaptcha,
  uniqueUsername,
  type VisitorRecord,
} from '../visitor/visitor.ts'
import { type Callbacks, type CrashPoint, crashPoints } from './crash-points.ts'
import { openHookedSite } from './hooked-site.ts'
import type { Hooks } from './hooks.ts'
import { type RemovedGuard, removedGuards } from './removed-guards.ts'

// Hooks recognize statements by their SQL. The long drills would notice a hook that no longer matches only when they are
// run, so every crash point and every removed guard is tried here once, in this process, on both databases.

let folder: string
let site: Awaited<ReturnType<typeof openHookedSite>>
let client: HttpClient
let hooks: Hooks[] = []
let clockAheadMs = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-hooks-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = readConfig({
    ...testSettings,
    DATA_DIR: folder,
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'fatal',
  })
  const now = () => new Date(Date.now() + clockAheadMs)
  site = await openHookedSite({ config, hooks: currentHooks, now, open: testDatabase })
  client = createHttpClient(url)
})
afterAll(async () => {
  client.close()
  await site.close()
  await rm(folder, { recursive: true, force: true })
})

/** Calls whichever hooks are in use at the moment. */
const currentHooks: Hooks = {
  database: {
    before: (statement) => each((hook) => hook.database?.before?.(statement)),
    after: (statement) => each((hook) => hook.database?.after?.(statement)),
    beforeCommit: (statements) => each((hook) => hook.database?.beforeCommit?.(statements)),
    afterCommit: (statements) => each((hook) => hook.database?.afterCommit?.(statements)),
    instead: (statement, execute) => first((hook) => hook.database?.instead?.(statement, execute)),
    lateCommit: (statements) => first((hook) => hook.database?.lateCommit?.(statements)),
  },
  payment: (gateway) => new Proxy(gateway, { get: (_, name) => Reflect.get(hooks.reduce(wrapGateway, gateway), name) }),
  beforeAnswer: () => void each((hook) => hook.beforeAnswer?.()),
}
const wrapGateway = (gateway: PaymentGateway, { payment }: Hooks) => payment?.(gateway) ?? gateway

async function each(call: (hook: Hooks) => unknown) {
  for (const hook of hooks) await call(hook)
}

function first<Result>(call: (hook: Hooks) => Result | undefined): Result | undefined {
  for (const hook of hooks) {
    const result = call(hook)
    if (result !== undefined) return result
  }
}

async function pass(seconds: number) {
  clockAheadMs += seconds * 1000
  await doEverythingDue(site.world)
}

/** Submits the n-th attempt of a visitor. */
async function submit(visitor: VisitorRecord, cc_number: string, attempt = 1) {
  const body = { ...answersOf(visitor), cc_number, captcha: await solveCaptcha(client) }
  return callsOf(client, visitor).addEnrollment(body, { key: `${visitor.enrollment_id}.${attempt}` })
}

const neverSent: Hooks = {
  payment: (gateway) => ({ ...gateway, authorize: async () => ({ outcome: 'unknown' }) }),
}

/** Crash points whose first submit looks the same are tried with one submit. */
const scenes = Object.entries(
  Object.groupBy(crashPoints, ({ card, neverSent, abandoned }) => JSON.stringify({ card, neverSent, abandoned })),
).map(([submit, points = []]): [string, CrashPoint[]] => [submit, points])

it.each(scenes)('every crash point of %s is reached', async (_, points) => {
  const [point] = points
  const reached = new Set<string>()
  const { promise: called, resolve: gatewayCallStarted } = Promise.withResolvers<void>()
  const callbacksFor = ({ name }: CrashPoint): Callbacks => ({
    crash: async () => reached.add(name),
    gatewayCallStarted,
  })
  hooks = [...(point?.neverSent ? [neverSent] : []), ...points.map((one) => one.hooks(callbacksFor(one)))]
  const submission = submit(await arrive(client), point?.card ?? cards.good)
  if (point?.abandoned) {
    await called
    await pass(3600)
  }
  await submission
  await pass(60)
  await pass(60)
  expect([...reached].sort()).toEqual(points.map(({ name }) => name).sort())
})

const allowDuplicateClaims = () => sql`alter table claim drop constraint if exists claim_pkey`.execute(site.world.db)

/** How many of these submits reached the gateway, and with which references. */
async function referencesOf(submits: () => Promise<unknown>[]): Promise<string[]> {
  const references: string[] = []
  const recorder: Hooks = {
    payment: (gateway) => ({
      ...gateway,
      authorize: (hold, signal) => {
        references.push(hold.reference)
        return gateway.authorize(hold, signal)
      },
    }),
  }
  hooks = [recorder, ...hooks]
  await Promise.all(submits())
  return references
}

/** Whether a guard is in place. The last two checks need a database without unique claims once they have passed with it. */
const checks: Record<RemovedGuard, (isRemoved: boolean) => Promise<boolean>> = {
  key: async () => {
    const visitor = await arrive(client)
    const references = await referencesOf(() => [submit(visitor, cards.good)])
    return references[0] === referenceOf({ enrollment_id: visitor.enrollment_id, attempt: 1 })
  },
  journal: async () => {
    let state: string | undefined
    hooks.push({
      payment: (gateway) => ({
        ...gateway,
        authorize: async (hold, signal) => {
          const query = site.world.db.selectFrom('payment').select('state').where('reference', '=', hold.reference)
          state = (await query.executeTakeFirst())?.state
          return gateway.authorize(hold, signal)
        },
      }),
    })
    await submit(await arrive(client), cards.good)
    return state === 'authorizing'
  },
  commit: async () => {
    const { username, ...visitor } = await arrive(client)
    await submit({ username, ...visitor }, cards.good)
    const query = site.world.db.selectFrom('member').select('id').where('username', '=', username)
    return (await query.execute()).length === 1
  },
  names: async (isRemoved) => {
    if (isRemoved) await allowDuplicateClaims()
    const username = uniqueUsername()
    const visitors = await Promise.all([arrive(client, username), arrive(client, username)])
    const submits = visitors.map((visitor, index) =>
      submit({ ...visitor, email: `${index}.${username}@mail.example` }, cards.good).catch(() => undefined),
    )
    return (await referencesOf(() => submits)).length === 1
  },
  turn: async (isRemoved) => {
    if (isRemoved) await allowDuplicateClaims()
    const visitor = await arrive(client)
    return (await referencesOf(() => [1, 2, 3].map((attempt) => submit(visitor, cards.good, attempt)))).length === 1
  },
}

it.each(Object.keys(checks) as RemovedGuard[])('the guard %s is in place, and can be removed', async (guard) => {
  hooks = []
  const isGuarded = await checks[guard](false)
  hooks = [removedGuards[guard]]
  expect([isGuarded, await checks[guard](true)]).toEqual([true, false])
})
