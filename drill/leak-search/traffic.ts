import { join } from 'node:path'
import { cards } from '#server/gateways/payment/cards.ts'
import { profileFolders, visitInBrowser } from './browser-visits.ts'
import { enroll, malformedRequests } from './malformed-requests.ts'
import { type SearchedSite, type Server, startVerboseServer } from './searched-site.ts'
import { createTestCards, type TestCard } from './test-cards.ts'

const BROKEN_DATABASE = 4
const KILLED = 12
const PLANTED = 10
const LANES = 8
/** The sandbox's cards with special behavior. The password and CVC that are sent with them are still unique. */
const SPECIAL_NUMBERS = [cards.declined, cards.review, cards.slow, cards.responseLost]

/** Each card is used for one purpose only. */
export function createCardSets({ cards: enrolled, browsers }: { cards: number; browsers: number }) {
  const malformed = Object.keys(malformedRequests).length
  const all = createTestCards(
    enrolled + malformed + SPECIAL_NUMBERS.length + BROKEN_DATABASE + KILLED + 2 * browsers + PLANTED,
  )
  const take = (count: number) => all.splice(0, count)
  return {
    enrolled: take(enrolled),
    malformed: take(malformed),
    special: take(SPECIAL_NUMBERS.length),
    brokenDatabase: take(BROKEN_DATABASE),
    killed: take(KILLED),
    browsing: take(2 * browsers),
    planted: take(PLANTED),
  }
}
type CardSets = ReturnType<typeof createCardSets>

/** Sends the cards through a running server: enrolled, typed in browsers, and in malformed requests. */
export async function sendTraffic(
  site: SearchedSite,
  url: string,
  folder: string,
  sets: CardSets,
  print: (line: string) => void,
) {
  await logStatements(site, 'all')
  const queue = [...sets.enrolled]
  const lane = async () => {
    for (let card = queue.shift(); card; card = queue.shift()) {
      const payment = await enroll(url, card)
      if (payment !== 'Approved') throw new Error(`Card ${card.index} was not enrolled: ${payment}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  print(`${sets.enrolled.length} cards enrolled`)

  for (let number = 0; number * 2 < sets.browsing.length; number++) {
    const [enrolls, leaves] = sets.browsing.slice(number * 2)
    const storage = join(folder, 'storage', String(number))
    if (enrolls && leaves) await visitInBrowser({ url, ...profileFolders(folder, number), storage }, enrolls, leaves)
  }
  print(`${sets.browsing.length / 2} browsers closed`)

  await logStatements(site, 'none') // the next requests send cards as usernames, which are looked up with SQL
  for (const [index, [name, send]] of Object.entries(malformedRequests).entries())
    await send(url, sets.malformed[index] as TestCard).catch((cause) => {
      throw new Error(`The malformed request '${name}' could not be sent.`, { cause })
    })
  await Promise.all(sets.special.map((card, index) => enroll(url, card, { cc_number: SPECIAL_NUMBERS[index] })))
  await withBrokenDatabase(site, () => Promise.all(sets.brokenDatabase.map((card) => enroll(url, card))))
}

/** Makes PostgreSQL write every statement with its values to its log. */
async function logStatements(site: SearchedSite, which: 'all' | 'none') {
  if (site.database !== 'PostgreSQL') return
  const database = await site.open()
  await database.query(`alter system set log_statement = '${which}'`)
  await database.query('select pg_reload_conf()')
  await database.close()
}

/** Renames a column for a while, so that attempts fail with a database error. */
async function withBrokenDatabase(site: SearchedSite, work: () => Promise<unknown>) {
  if (site.database !== 'PostgreSQL') return
  const database = await site.open()
  await database.query('alter table payment rename column details to gone')
  await work()
  await database.query('alter table payment rename column gone to details')
  await database.close()
}

/** Kills the server while these cards are in flight, lets another one recover, and stops that one cleanly. */
export async function killMidRequest(
  site: SearchedSite,
  server: Server,
  folder: string,
  testCards: TestCard[],
): Promise<void> {
  const requests = testCards.map((card) => enroll(server.url, card))
  await Promise.race(requests).catch(() => undefined) // the others are still in flight
  server.child.kill('SIGKILL')
  await Promise.allSettled([...requests, server.ended])
  const nextServer = await startVerboseServer(site, folder)
  nextServer.child.kill('SIGTERM')
  const { code } = await nextServer.ended
  if (code !== 0) throw new Error(`The server did not stop cleanly:\n${nextServer.output()}`)
}
