import { referenceOf } from '#server/payments/payments.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { openSite, type Site } from '../site/site.ts'
import { arrive, cards, type Heard, newName, visit } from '../visitor/visitor.ts'
import { examples, inWords, isClean } from './audit.ts'

const SETTLE_SECONDS = 60
const ARRIVING_AT_ONCE = 50

/** Very many visitors who all want one username: one gets it, and nobody else is charged. */
export async function race(drill: Scale, ground: Ground): Promise<Row[]> {
  const runners = drill.short ? 100 : 1000
  const { findings, winners, told, chargedLosers, took } = await run(ground, runners, (count) =>
    drill.progress(ground.name, `race: ${count} of ${runners} have their answer`),
  )
  for (const line of examples(findings)) drill.say(line)
  return [
    {
      done: `${runners} visitors at once for one username`,
      asked: '4.10 one winner, the others told so, no loser charged',
      found: `${winners} winners, ${told} told that it is taken, ${chargedLosers} losers charged, ${inWords(findings)}`,
      passed: winners === 1 && told === runners - 1 && chargedLosers === 0 && took !== undefined && isClean(findings),
    },
  ]
}

type Small = { isSmall?: boolean; prepare?: (site: Site) => Promise<void> }
const SMALL_SECONDS = 15

/** The race itself, also for a server that somebody has tampered with. */
export async function run(
  ground: Ground,
  runners: number,
  answered: (count: number) => void,
  { isSmall = false, prepare }: Small = {},
) {
  const site = await openSite(ground, { sockets: runners })
  await prepare?.(site)
  const { caller } = site
  const username = newName()
  const heard: Heard[] = []
  while (heard.length < runners) {
    const group = Math.min(ARRIVING_AT_ONCE, runners - heard.length)
    heard.push(...(await Promise.all(Array.from({ length: group }, () => arrive(caller, username)))))
  }
  for (const [number, visitor] of heard.entries()) visitor.email = `runner${number}.${username}@mail.example`
  let count = 0
  const end = performance.now() + (isSmall ? SMALL_SECONDS : 2 * SETTLE_SECONDS) * 1000
  await Promise.all(
    heard.map(async (visitor) => {
      await visit(caller, visitor, { cards: [cards.good] }, { going: () => performance.now() < end })
      answered(++count)
    }),
  )
  const { findings, transactions, took } = await site.settle(heard, isSmall ? SMALL_SECONDS : SETTLE_SECONDS)
  await site.close()
  const charged = new Set(transactions.filter(({ state }) => state !== 'declined').map(({ reference }) => reference))
  const ATTEMPTS = [1, 2, 3, 4, 5]
  const losers = heard.filter(({ approved }) => !approved)
  return {
    findings,
    took,
    winners: heard.length - losers.length,
    told: losers.filter(({ refusedFields }) => refusedFields.includes('username')).length,
    chargedLosers: losers.filter(({ enrollment_id }) =>
      ATTEMPTS.some((attempt) => charged.has(referenceOf({ enrollment_id, attempt }))),
    ).length,
  }
}
