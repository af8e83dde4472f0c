import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { cards } from '../visitor/visitor.ts'
import type { Hooks, Statement } from './hooks.ts'

export type CrashPoint = {
  name: string
  hooks: Hooks
  /** The card of the first submit. Default: a good one. */
  card?: string
  /** The first submit never reaches the gateway. */
  neverSent?: true
  /** The gateway answers the first submit slowly. */
  slow?: true
  /** The clock moves while the first submit is in flight, so that the attempt is abandoned. */
  abandoned?: true
}

/** Printed when a request to the gateway has started, so that the drill can move the clock. */
export const GATEWAY_CALL_STARTED = 'gateway call started'

/** Ends the process at once, as kill -9 does. */
function crash(): Promise<never> {
  writeSync(1, 'crash point reached\n')
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

type Matches = (statement: Statement) => boolean
const inserts =
  (table: string): Matches =>
  ({ sql }) =>
    sql.includes(`insert into "${table}"`)
const movesTo =
  (...states: string[]): Matches =>
  ({ sql, parameters }) =>
    sql.startsWith('update "payment" set') && states.includes(String(parameters[0]))
const closesJob: Matches = ({ sql }) => sql.startsWith('update "job" set "done_at"')

const before = (matches: Matches): Hooks => ({
  database: { before: (statement) => (matches(statement) ? crash() : undefined) },
})
const after = (matches: Matches): Hooks => ({
  database: { after: (statement) => (matches(statement) ? crash() : undefined) },
})
const beforeCommit = (matches: Matches): Hooks => ({
  database: { beforeCommit: (statements) => (statements.some(matches) ? crash() : undefined) },
})
const afterCommit = (matches: Matches): Hooks => ({
  database: { afterCommit: (statements) => (statements.some(matches) ? crash() : undefined) },
})

type GatewayCall = 'authorize' | 'lookup' | 'capture' | 'void'
type CallHooks = { before?: () => Promise<unknown>; during?: () => Promise<unknown>; after?: () => Promise<unknown> }

/** Hooks around one call to the gateway. `during` runs while the request is in flight. */
const around =
  (name: GatewayCall, { before, during, after }: CallHooks) =>
  (gateway: PaymentGateway): PaymentGateway => ({
    ...gateway,
    [name]: async (...args: never[]) => {
      await before?.()
      const call = gateway[name] as (...args: never[]) => Promise<unknown>
      const pending = call(...args)
      await during?.()
      const answer = await pending
      await after?.()
      return answer
    },
  })
const gateway = (name: GatewayCall, hooks: CallHooks): Hooks => ({ payment: around(name, hooks) })

/** Delays `authorize` until the attempt has been abandoned, then applies the hooks to the call `name`. */
function late(name: GatewayCall, hooks: CallHooks): Hooks {
  const { promise: abandonment, resolve } = Promise.withResolvers<void>()
  const waitForAbandonment = () => {
    writeSync(1, `${GATEWAY_CALL_STARTED}\n`)
    return abandonment
  }
  return {
    database: { afterCommit: (statements) => (statements.some(movesTo('abandoned')) ? resolve() : undefined) },
    payment: (inner) => around(name, hooks)(around('authorize', { before: waitForAbandonment })(inner)),
  }
}

/** For a request that never reaches the gateway. */
const lost = (hooks: Hooks): Hooks => ({
  ...hooks,
  payment: around('authorize', { after: async () => writeSync(1, `${GATEWAY_CALL_STARTED}\n`) }),
})

/** Every point between two steps at which a server can die. */
export const crashPoints: CrashPoint[] = [
  { name: 'before the reservation', hooks: before(inserts('payment')) },
  { name: 'reserved', hooks: afterCommit(inserts('payment')) },
  { name: 'before authorizing is written', hooks: before(movesTo('authorizing')) },
  { name: 'authorizing written, gateway not called', hooks: gateway('authorize', { before: crash }) },
  {
    name: 'gateway called, answer not read',
    hooks: gateway('authorize', { during: () => sleep(300).then(crash) }),
    slow: true,
  },
  { name: 'approval read, nothing written', hooks: gateway('authorize', { after: crash }) },
  { name: 'before the admission', hooks: before(inserts('member')) },
  { name: 'admission committed', hooks: afterCommit(inserts('member')) },
  { name: 'before the answer is sent', hooks: { beforeAnswer: () => void crash() } },
  { name: 'decline read, nothing written', hooks: gateway('authorize', { after: crash }), card: cards.declined },
  { name: 'release not committed', hooks: beforeCommit(movesTo('declined')), card: cards.declined },
  { name: 'released', hooks: afterCommit(movesTo('declined')), card: cards.declined },
  { name: 'no answer, unknown not written', hooks: before(movesTo('unknown')), card: cards.responseLost },
  { name: 'unknown written', hooks: after(movesTo('unknown')), card: cards.responseLost },
  { name: 'before the lookup', hooks: gateway('lookup', { before: crash }), card: cards.responseLost },
  { name: 'looked up, not admitted', hooks: gateway('lookup', { after: crash }), card: cards.responseLost },
  { name: 'authorized by the janitor', hooks: after(movesTo('authorized')), card: cards.responseLost },
  { name: 'member written, not committed', hooks: after(inserts('member')), card: cards.responseLost },
  { name: 'admission not committed', hooks: beforeCommit(inserts('member')), card: cards.responseLost },
  { name: 'admitted by the janitor', hooks: afterCommit(inserts('member')), card: cards.responseLost },
  {
    name: 'abandoned, not committed',
    hooks: lost(beforeCommit(movesTo('abandoned'))),
    neverSent: true,
    abandoned: true,
  },
  { name: 'abandoned', hooks: lost(afterCommit(movesTo('abandoned'))), neverSent: true, abandoned: true },
  { name: 'before the capture', hooks: gateway('capture', { before: crash }) },
  { name: 'captured, not written', hooks: gateway('capture', { after: crash }) },
  { name: 'capture written, job not closed', hooks: before(closesJob) },
  { name: 'late approval read, nothing written', hooks: late('authorize', { after: crash }), abandoned: true },
  { name: 'before the void', hooks: late('void', { before: crash }), abandoned: true },
  { name: 'voided, not written', hooks: late('void', { after: crash }), abandoned: true },
]

export const findCrashPoint = (name: string): CrashPoint => {
  const crashPoint = crashPoints.find((one) => one.name === name)
  if (!crashPoint) throw new Error(`There is no crash point '${name}'.`)
  return crashPoint
}
