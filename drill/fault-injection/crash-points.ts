import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { cards } from '../visitor/visitor.ts'
import type { Hooks, Statement } from './hooks.ts'

export type CrashPoint = {
  name: string
  hooks: CreateHooks
  /** The card of the first submit. Default: a good one. */
  card?: string
  /** The first submit never reaches the gateway. */
  neverSent?: true
  /** The gateway answers the first submit slowly. */
  slow?: true
  /** The clock moves while the first submit is in flight, so that the attempt is abandoned. */
  abandoned?: true
}

/** What a crash point calls. A drill kills the process; a test only records that the point was reached. */
export type Callbacks = {
  crash: () => Promise<unknown>
  /** A request to the gateway has started, so the drill can move the clock. */
  gatewayCallStarted: () => void
}
type CreateHooks = (callbacks: Callbacks) => Hooks

type Matches = (statement: Statement) => boolean
const inserts =
  (table: string): Matches =>
  ({ sql }) =>
    sql.includes(`insert into "${table}"`)
const movesTo =
  (...states: string[]): Matches =>
  ({ sql, parameters }) =>
    sql.includes('update "payment" set') && states.includes(String(parameters[0]))
const closesJob: Matches = ({ sql }) => sql.includes('update "job" set "done_at"')

const before =
  (matches: Matches): CreateHooks =>
  ({ crash }) => ({ database: { before: async (statement) => void (matches(statement) && (await crash())) } })
const after =
  (matches: Matches): CreateHooks =>
  ({ crash }) => ({ database: { after: async (statement) => void (matches(statement) && (await crash())) } })
const beforeCommit =
  (matches: Matches): CreateHooks =>
  ({ crash }) => ({ database: { beforeCommit: async (all) => void (all.some(matches) && (await crash())) } })
const afterCommit =
  (matches: Matches): CreateHooks =>
  ({ crash }) => ({ database: { afterCommit: async (all) => void (all.some(matches) && (await crash())) } })

/** Before the first job is closed after the capture was written: the job of the capture itself is still open. */
const captureWritten: CreateHooks = ({ crash }) => {
  let isCaptured = false
  return {
    database: {
      before: async (statement) => void (isCaptured && closesJob(statement) && (await crash())),
      after: (statement) => {
        isCaptured ||= movesTo('captured')(statement)
      },
    },
  }
}

type GatewayCall = 'authorize' | 'lookup' | 'capture' | 'void'
type CallHooks = { before?: () => unknown; during?: () => unknown; after?: () => unknown }

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
const beforeCall =
  (name: GatewayCall): CreateHooks =>
  ({ crash }) => ({ payment: around(name, { before: crash }) })
const duringCall =
  (name: GatewayCall): CreateHooks =>
  ({ crash }) => ({ payment: around(name, { during: () => sleep(300).then(crash) }) })
const afterCall =
  (name: GatewayCall): CreateHooks =>
  ({ crash }) => ({ payment: around(name, { after: crash }) })

/** Delays `authorize` until the attempt has been abandoned. */
const late =
  (createHooks: CreateHooks): CreateHooks =>
  (callbacks) => {
    const { promise: abandonment, resolve } = Promise.withResolvers<void>()
    const waitForAbandonment = () => {
      callbacks.gatewayCallStarted()
      return abandonment
    }
    const { payment = (gateway) => gateway } = createHooks(callbacks)
    return {
      database: { afterCommit: (statements) => (statements.some(movesTo('abandoned')) ? resolve() : undefined) },
      payment: (gateway) => payment(around('authorize', { before: waitForAbandonment })(gateway)),
    }
  }

/** For a request that never reaches the gateway. */
const lost =
  (createHooks: CreateHooks): CreateHooks =>
  (callbacks) => ({
    ...createHooks(callbacks),
    payment: around('authorize', { after: callbacks.gatewayCallStarted }),
  })

const { declined, responseLost } = cards

/** Every point between two steps at which a server can die. */
export const crashPoints: CrashPoint[] = [
  { name: 'before the reservation', hooks: before(inserts('payment')) },
  { name: 'reserved', hooks: afterCommit(inserts('payment')) },
  { name: 'before authorizing is written', hooks: before(movesTo('authorizing')) },
  { name: 'authorizing written, gateway not called', hooks: beforeCall('authorize') },
  { name: 'gateway called, answer not read', hooks: duringCall('authorize'), slow: true },
  { name: 'approval read, nothing written', hooks: afterCall('authorize') },
  { name: 'before the admission', hooks: before(inserts('member')) },
  { name: 'admission committed', hooks: afterCommit(inserts('member')) },
  { name: 'before the answer is sent', hooks: ({ crash }) => ({ beforeAnswer: () => void crash() }) },
  { name: 'decline read, nothing written', hooks: afterCall('authorize'), card: declined },
  { name: 'release not committed', hooks: beforeCommit(movesTo('declined')), card: declined },
  { name: 'released', hooks: afterCommit(movesTo('declined')), card: declined },
  { name: 'no answer, unknown not written', hooks: before(movesTo('unknown')), card: responseLost },
  { name: 'unknown written', hooks: after(movesTo('unknown')), card: responseLost },
  { name: 'before the lookup', hooks: beforeCall('lookup'), card: responseLost },
  { name: 'looked up, not admitted', hooks: afterCall('lookup'), card: responseLost },
  { name: 'authorized by the janitor', hooks: after(movesTo('authorized')), card: responseLost },
  { name: 'member written, not committed', hooks: after(inserts('member')), card: responseLost },
  { name: 'admission not committed', hooks: beforeCommit(inserts('member')), card: responseLost },
  { name: 'admitted by the janitor', hooks: afterCommit(inserts('member')), card: responseLost },
  {
    name: 'abandoned, not committed',
    hooks: lost(beforeCommit(movesTo('abandoned'))),
    neverSent: true,
    abandoned: true,
  },
  { name: 'abandoned', hooks: lost(afterCommit(movesTo('abandoned'))), neverSent: true, abandoned: true },
  { name: 'before the capture', hooks: beforeCall('capture') },
  { name: 'captured, not written', hooks: afterCall('capture') },
  { name: 'capture written, job not closed', hooks: captureWritten },
  { name: 'late approval read, nothing written', hooks: late(afterCall('authorize')), abandoned: true },
  { name: 'before the void', hooks: late(beforeCall('void')), abandoned: true },
  { name: 'voided, not written', hooks: late(afterCall('void')), abandoned: true },
]
