import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, Unreachable } from './http-client.ts'
import { arrive, askAgain, cards, type Heard, otherCard, visit } from './visitor.ts'

type Plan = Parameters<typeof visit>[2]
export const goodCard = (): Plan => ({ cards: [cards.good] })

/** Who comes, and how often in a hundred. */
const kinds: { share: number; plan: () => Plan }[] = [
  { share: 70, plan: goodCard },
  { share: 15, plan: () => ({ cards: [cards.declined, otherCard] }) },
  { share: 10, plan: () => ({ cards: [cards.answerLost] }) },
  { share: 5, plan: () => ({ cards: [cards.good], leavesAfter: Math.random() * 120 }) },
]

const draw = kinds.flatMap(({ share, plan }) => Array<typeof plan>(share).fill(plan))
const anyone = () => (draw[Math.floor(Math.random() * draw.length)] ?? goodCard)()

const PATIENCE_MS = 15_000
const LATELY = 32

async function grows(count: () => number) {
  const before = count()
  const end = performance.now() + PATIENCE_MS
  while (count() === before && performance.now() < end) await sleep(10)
}

/** Visitors who come one after another in each lane. One who only waits for an answer makes room for the next. */
export function gather(caller: Caller, lanes: number, plan = anyone) {
  const heard: Heard[] = []
  const visits = new Set<Promise<void>>()
  const answers = () => heard.reduce((sum, visitor) => sum + visitor.answers, 0)
  const approvals = () => heard.filter(({ approved }) => approved).length
  let going = true
  let asked = 0

  const lane = async () => {
    while (going) {
      try {
        const visitor = await arrive(caller)
        heard.push(visitor)
        await new Promise<void>((aside) => {
          const ended = visit(caller, visitor, plan(), { going: () => going, waiting: aside }).finally(aside)
          const remembered = ended.catch((error: unknown) => {
            visitor.odd.push(String(error))
          })
          visits.add(remembered)
          void remembered.then(() => visits.delete(remembered))
        })
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        await sleep(50)
      }
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, lane))
  return {
    heard,
    /** The load is on once somebody has been told something. */
    heardSomething: () => grows(answers),
    heardApproval: () => grows(approvals),
    /** Those who have heard "Approved" lately ask again: it must still be true. */
    askAgain: async () => {
      const acknowledged = heard.filter(({ approved }) => approved)
      await Promise.all(acknowledged.slice(asked).map((visitor) => askAgain(caller, visitor)))
      asked = Math.max(0, acknowledged.length - LATELY)
      return acknowledged.length
    },
    /** Everybody closes the page, whatever they have heard. */
    leave: async () => {
      going = false
      await running
      await Promise.all(visits)
    },
  }
}
