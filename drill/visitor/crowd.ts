import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpClient, Unreachable } from './http-client.ts'
import { arrive, cards, checkStillApproved, otherCard, type VisitorRecord, type VisitPlan, visit } from './visitor.ts'

export const goodCardPlan = (): VisitPlan => ({ cards: [cards.good] })

/** What visitors do, in percent. */
const plans: { percent: number; create: () => VisitPlan }[] = [
  { percent: 70, create: goodCardPlan },
  { percent: 15, create: () => ({ cards: [cards.declined, otherCard] }) },
  { percent: 10, create: () => ({ cards: [cards.responseLost] }) },
  { percent: 5, create: () => ({ cards: [cards.good], leavesAfterMs: Math.random() * 120 }) },
]

const hundredPlans = plans.flatMap(({ percent, create }) => Array<typeof create>(percent).fill(create))
const randomPlan = () => (hundredPlans[Math.floor(Math.random() * hundredPlans.length)] ?? goodCardPlan)()

const TIMEOUT_MS = 15_000
const RECENT = 32

async function waitForIncrease(count: () => number) {
  const before = count()
  const end = performance.now() + TIMEOUT_MS
  while (count() === before && performance.now() < end) await sleep(10)
}

/** Visitors arrive one after another in each lane. A visitor who only waits for the result makes room for the next. */
export function startCrowd(client: HttpClient, lanes: number, createPlan = randomPlan) {
  const records: VisitorRecord[] = []
  const visits = new Set<Promise<void>>()
  const answers = () => records.reduce((sum, record) => sum + record.answers, 0)
  const approvals = () => records.filter(({ approved }) => approved).length
  let isOpen = true
  let checkedCount = 0

  const lane = async () => {
    while (isOpen) {
      try {
        const record = await arrive(client)
        records.push(record)
        await new Promise<void>((freeLane) => {
          const end = visit(client, record, createPlan(), { isOpen: () => isOpen, onWaiting: freeLane }).finally(
            freeLane,
          )
          const handled = end.catch((error: unknown) => {
            record.unexpectedRefusals.push(String(error))
          })
          visits.add(handled)
          void handled.then(() => visits.delete(handled))
        })
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        await sleep(50)
      }
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, lane))
  return {
    records,
    /** Resolves when a visitor gets the next answer about a payment: the site is under load. */
    nextAnswer: () => waitForIncrease(answers),
    nextApproval: () => waitForIncrease(approvals),
    /** Recently approved visitors ask again: the answer must still be "Approved". Returns the number of approvals. */
    checkApprovals: async () => {
      const approved = records.filter((record) => record.approved)
      await Promise.all(approved.slice(checkedCount).map((record) => checkStillApproved(client, record)))
      checkedCount = Math.max(0, approved.length - RECENT)
      return approved.length
    },
    /** All visitors close the page, whatever they were told. */
    leave: async () => {
      isOpen = false
      await running
      await Promise.all(visits)
    },
  }
}
