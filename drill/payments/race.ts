import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import type { Drill } from '../drill.ts'
import { examples, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { openSite, type Site } from '../site/site.ts'
import { arrive, cards, uniqueUsername, type VisitorRecord, visit } from '../visitor/visitor.ts'

const SETTLE_SECONDS = 60
const SMALL_SECONDS = 15
const ARRIVALS_AT_ONCE = 50
const ATTEMPTS = [1, 2, 3, 4, 5]

/** Many visitors want the same username: one gets it, and only that one is charged. */
export const race: Drill = async (run, backend) => {
  const runners = run.short ? 100 : 1000
  const { findings, winners, toldTaken, chargedLosers, settledAfter } = await runRace(backend, runners, (count) =>
    run.showProgress(backend.name, `race: ${count} of ${runners} have an answer`),
  )
  for (const line of examples(findings)) run.print(line)
  return [
    {
      action: `${runners} visitors submit the same username at the same time`,
      expected: '4.10 one winner, all others told that the username is taken, no loser charged',
      result: `${winners} winners, ${toldTaken} told that it is taken, ${chargedLosers} losers charged, ${summarize(findings)}`,
      passed:
        winners === 1 &&
        toldTaken === runners - 1 &&
        chargedLosers === 0 &&
        settledAfter !== undefined &&
        isClean(findings),
    },
  ]
}

type RaceOptions = { isSmall?: boolean; prepare?: (site: Site) => Promise<void> }

/** The race itself. The guard drill also runs it, with a guard removed. */
export async function runRace(
  backend: Backend,
  runners: number,
  onAnswer: (count: number) => void,
  { isSmall = false, prepare }: RaceOptions = {},
) {
  const site = await openSite(backend, { sockets: runners })
  await prepare?.(site)
  const { client } = site
  const username = uniqueUsername()
  const visitors: VisitorRecord[] = []
  while (visitors.length < runners) {
    const group = Math.min(ARRIVALS_AT_ONCE, runners - visitors.length)
    visitors.push(...(await Promise.all(Array.from({ length: group }, () => arrive(client, username)))))
  }
  for (const [number, visitor] of visitors.entries()) visitor.email = `runner${number}.${username}@mail.example`
  let count = 0
  const end = performance.now() + (isSmall ? SMALL_SECONDS : 2 * SETTLE_SECONDS) * 1000
  await Promise.all(
    visitors.map(async (visitor) => {
      await visit(client, visitor, { cards: [cards.good] }, { isOpen: () => performance.now() < end })
      onAnswer(++count)
    }),
  )
  const { findings, transactions, settledAfter } = await site.settle(visitors, isSmall ? SMALL_SECONDS : SETTLE_SECONDS)
  await site.close()
  const chargedReferences = new Set(
    transactions.filter(({ state }) => state !== 'declined').map(({ reference }) => reference),
  )
  const losers = visitors.filter(({ approved }) => !approved)
  return {
    findings,
    settledAfter,
    winners: visitors.length - losers.length,
    toldTaken: losers.filter(({ refusedFields }) => refusedFields.includes('username')).length,
    chargedLosers: losers.filter(({ enrollment_id }) =>
      ATTEMPTS.some((attempt) => chargedReferences.has(referenceOf({ enrollment_id, attempt }))),
    ).length,
  }
}
