import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { cards } from '../visitor/visitor.ts'
import type { Statement, Watch } from './hooks.ts'

/** What may be put around the product. */
export type Outfit = {
  watch?: Watch
  payment?: (inner: PaymentGateway) => PaymentGateway
  /** The moment before an answer to add-enrollment leaves. */
  answering?: () => void
}

/** The process ends here and now, as by kill -9. */
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

const before = (matches: Matches): Outfit => ({ watch: { before: (one) => (matches(one) ? crash() : undefined) } })
const after = (matches: Matches): Outfit => ({ watch: { after: (one) => (matches(one) ? crash() : undefined) } })
const beforeCommit = (matches: Matches): Outfit => ({
  watch: { beforeCommit: (all) => (all.some(matches) ? crash() : undefined) },
})
const afterCommit = (matches: Matches): Outfit => ({
  watch: { afterCommit: (all) => (all.some(matches) ? crash() : undefined) },
})

type Call = 'authorize' | 'lookup' | 'capture' | 'void'
type Times = { before?: () => Promise<unknown>; during?: () => Promise<unknown>; after?: () => Promise<unknown> }

/** Around one call to the gateway. `during` runs beside it, with the request on its way. */
const around =
  (name: Call, { before, during, after }: Times) =>
  (inner: PaymentGateway): PaymentGateway => ({
    ...inner,
    [name]: async (...args: never[]) => {
      await before?.()
      const call = inner[name] as (...args: never[]) => Promise<unknown>
      const asked = call(...args)
      await during?.()
      const answer = await asked
      await after?.()
      return answer
    },
  })
const gateway = (name: Call, times: Times): Outfit => ({ payment: around(name, times) })

/** What a server says when its request is on its way, so that the clock can be turned. */
export const UNDER_WAY = 'the gateway is being asked'

/** A request that is so late on its way that the attempt has been given up when it arrives; then the end of `name`. */
function late(name: Call, times: Times): Outfit {
  const { promise: givenUp, resolve } = Promise.withResolvers<void>()
  const dawdle = () => {
    writeSync(1, `${UNDER_WAY}\n`)
    return givenUp
  }
  return {
    watch: { afterCommit: (all) => (all.some(movesTo('abandoned')) ? resolve() : undefined) },
    payment: (inner) => around(name, times)(around('authorize', { before: dawdle })(inner)),
  }
}

/** A request that the gateway never hears of. */
const lost = (outfit: Outfit): Outfit => ({
  ...outfit,
  payment: around('authorize', { after: async () => writeSync(1, `${UNDER_WAY}\n`) }),
})

export type Point = {
  name: string
  outfit: Outfit
  /** The card of the first press; a good one unless it says. */
  card?: string
  /** The gateway hears nothing of the first press. */
  unheard?: true
  /** The gateway's answer to the first press takes its time. */
  slow?: true
  /** The clock is turned while the first press is on its way, so that the attempt is given up. */
  givenUp?: true
}

/** Every place between two steps at which a server may end. */
export const points: Point[] = [
  { name: 'before the reservation', outfit: before(inserts('payment')) },
  { name: 'reserved', outfit: afterCommit(inserts('payment')) },
  { name: 'before authorizing is written', outfit: before(movesTo('authorizing')) },
  { name: 'authorizing written, network untouched', outfit: gateway('authorize', { before: crash }) },
  {
    name: 'gateway asked, answer not read',
    outfit: gateway('authorize', { during: () => sleep(300).then(crash) }),
    slow: true,
  },
  { name: 'approval read, nothing written', outfit: gateway('authorize', { after: crash }) },
  { name: 'before the admission', outfit: before(inserts('member')) },
  { name: 'admission committed', outfit: afterCommit(inserts('member')) },
  { name: 'answer about to leave', outfit: { answering: () => void crash() } },
  { name: 'decline read, nothing written', outfit: gateway('authorize', { after: crash }), card: cards.declined },
  { name: 'release not committed', outfit: beforeCommit(movesTo('declined')), card: cards.declined },
  { name: 'released', outfit: afterCommit(movesTo('declined')), card: cards.declined },
  { name: 'no answer, before it is parked', outfit: before(movesTo('unknown')), card: cards.answerLost },
  { name: 'parked', outfit: after(movesTo('unknown')), card: cards.answerLost },
  { name: 'before the lookup', outfit: gateway('lookup', { before: crash }), card: cards.answerLost },
  { name: 'looked up, not admitted', outfit: gateway('lookup', { after: crash }), card: cards.answerLost },
  { name: 'authorized by the janitor', outfit: after(movesTo('authorized')), card: cards.answerLost },
  { name: 'member written, not committed', outfit: after(inserts('member')), card: cards.answerLost },
  { name: 'admission not committed', outfit: beforeCommit(inserts('member')), card: cards.answerLost },
  { name: 'admitted by the janitor', outfit: afterCommit(inserts('member')), card: cards.answerLost },
  { name: 'given up, not committed', outfit: lost(beforeCommit(movesTo('abandoned'))), unheard: true, givenUp: true },
  { name: 'given up', outfit: lost(afterCommit(movesTo('abandoned'))), unheard: true, givenUp: true },
  { name: 'before the capture', outfit: gateway('capture', { before: crash }) },
  { name: 'captured, not noted', outfit: gateway('capture', { after: crash }) },
  { name: 'capture noted, job not closed', outfit: before(closesJob) },
  { name: 'late approval read, nothing written', outfit: late('authorize', { after: crash }), givenUp: true },
  { name: 'void not asked', outfit: late('void', { before: crash }), givenUp: true },
  { name: 'voided, not noted', outfit: late('void', { after: crash }), givenUp: true },
]

export const pointCalled = (name: string): Point => {
  const found = points.find((point) => point.name === name)
  if (!found) throw new Error(`There is no crash point '${name}'.`)
  return found
}
