import { randomUUID } from 'node:crypto'
import { calls } from '#contract/api.ts'
import { calmDown } from '#server/test/phones.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { solution } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type Door, openHouses, type Reply } from '../in-process-site/in-process-site.ts'
import { turnedClock } from '../in-process-site/virtual-clock.ts'
import { americanPhone, answersOf, cardNumber, thiefAddress } from '../test-data.ts'
import { readCode } from './legitimate-visitor.ts'

const LONG = { uses: 1_000 }
const SHORT = { uses: 200 }

type Used = { house: Door; n: number }
type Kind = {
  name: string
  /** Makes the one thing, and tells how it is used. */
  prepare: (house: Door) => Promise<(used: Used) => Promise<Reply>>
  succeeds: (told: Record<string, unknown>) => boolean
  /** How often it was really used up, where an answer does not tell: whose code it was may hear twice that it was right. */
  taken?: (house: Door) => Promise<number>
}

const kinds: Kind[] = [
  {
    name: 'captcha solution, to pay',
    prepare: async (house) => {
      const captcha = await solution(house, { address: thiefAddress(0) })
      return ({ house: one, n }) => {
        const answers = answersOf(`once${n}`, americanPhone(n), cardNumber('4539', n))
        const from = { address: thiefAddress(n), key: `${randomUUID()}.1` }
        return one.post(calls.addEnrollment.path, { ...answers, captcha }, from)
      }
    },
    succeeds: ({ payment }) => payment === 'Approved',
  },
  {
    name: 'captcha solution, for a first code',
    prepare: async (house) => {
      const captcha = await solution(house, { address: thiefAddress(0) })
      return ({ house: one, n }) =>
        one.post(
          calls.sendVerificationCode.path,
          { phone_number: americanPhone(n), captcha },
          { address: thiefAddress(n) },
        )
    },
    succeeds: ({ status }) => status === 1,
  },
  {
    name: 'code',
    prepare: async (house) => {
      const address = thiefAddress(0)
      const phone_number = americanPhone(LONG.uses) // which no other kind has written to
      const captcha = await solution(house, { address })
      const sent = await house.post(calls.sendVerificationCode.path, { phone_number, captcha }, { address })
      const cookie = cookieOf(sent)
      const code = await readCode(house, phone_number)
      return ({ house: one, n }) =>
        one.post(calls.verifyCode.path, { phone_number, code }, { address: thiefAddress(n), cookie })
    },
    succeeds: ({ status }) => status === 1,
    taken: async ({ world }) => {
      const { sum } = world.db.fn
      const counted = world.db.selectFrom('limit_count').where('name', '=', 'breaker codes').where('key', '=', 'good')
      return Number((await counted.select(sum('count').as('good')).executeTakeFirst())?.good)
    },
  },
]

/** What is good once is used by a thousand at once, on two Foyers where the database can be shared. */
export async function usedOnce(drill: Scale, ground: Ground): Promise<Row[]> {
  const place = await ground.fresh()
  const { houses, where, close } = await openHouses(drill, ground, place, { now: turnedClock().now })
  const rows = await sharedOnce(drill, ground, houses, where)
  await close()
  await place.remove()
  return rows
}

/** The same on whatever stands there. */
export async function sharedOnce(drill: Scale, ground: Ground, houses: Door[], where: string): Promise<Row[]> {
  const { uses } = drill.short ? SHORT : LONG
  const [first] = houses
  if (!first) throw new Error('there is no house')
  await calmDown(first.world)
  const rows: Row[] = []
  for (const { name, prepare, succeeds, taken } of kinds) {
    drill.progress(ground.name, `abuse · one ${name}, ${uses} at once`)
    const use = await prepare(first)
    const replies = await Promise.all(
      Array.from({ length: uses }, (_, n) => use({ house: houses[n % houses.length] ?? first, n })),
    )
    const right = replies.filter((reply) => succeeds(reply.json())).length
    const succeeded = taken && right ? await taken(first) : right
    const failed = replies.filter(({ statusCode }) => statusCode >= 500).length
    rows.push({
      done: `${uses} parallel uses of one ${name}, ${where}`,
      asked: 'one succeeds, no 5xx',
      found: `${succeeded} succeeded, ${failed} answers of 5xx`,
      passed: succeeded === 1 && failed === 0,
    })
  }
  return rows
}
