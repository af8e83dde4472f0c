import { join as path } from 'node:path'
import { cards } from '#server/gateways/payment/cards.ts'
import { browse, profileOf } from './browser-visits.ts'
import { join, mishaps } from './malformed-requests.ts'
import { type Server, type Site, startTalkative } from './searched-site.ts'
import { type Mark, mint } from './test-cards.ts'

/** Cards whose enrollment meets a database that has lost a table, cards that a kill -9 meets half way, and planted ones. */
const BROKEN = 4
const CUT = 12
const PLANTED = 10
const LANES = 8
/** The sandbox's own cards are no marks, but the password and the CVC beside them are. */
const ODD = [cards.declined, cards.review, cards.slow, cards.answerLost]

/** Every mark goes one way only. */
export function marksFor({ cards: enrolled, browsers }: { cards: number; browsers: number }) {
  const failing = Object.keys(mishaps).length
  const all = mint(enrolled + failing + ODD.length + BROKEN + CUT + 2 * browsers + PLANTED)
  const take = (count: number) => all.splice(0, count)
  return {
    enrolled: take(enrolled),
    failing: take(failing),
    odd: take(ODD.length),
    broken: take(BROKEN),
    cut: take(CUT),
    browsing: take(2 * browsers),
    planted: take(PLANTED),
  }
}
type Marks = ReturnType<typeof marksFor>

/** All the marks on their way through a running server: enrolled, in browsers, and in every mishap. */
export async function passThrough(site: Site, url: string, folder: string, marks: Marks, say: (line: string) => void) {
  await logStatements(site, 'all')
  const waiting = [...marks.enrolled]
  const lane = async () => {
    for (let mark = waiting.shift(); mark; mark = waiting.shift()) {
      const payment = await join(url, mark)
      if (payment !== 'Approved') throw new Error(`Mark ${mark.index} was not enrolled: ${payment}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  say(`${marks.enrolled.length} cards went through`)

  for (let number = 0; number * 2 < marks.browsing.length; number++) {
    const [joins, leaves] = marks.browsing.slice(number * 2)
    const storage = path(folder, 'storage', String(number))
    if (joins && leaves) await browse({ url, ...profileOf(folder, number), storage }, joins, leaves)
  }
  say(`${marks.browsing.length / 2} browsers closed`)

  await logStatements(site, 'none') // from here on cards stand where names are looked up
  for (const [index, [what, mishap]] of Object.entries(mishaps).entries())
    await mishap(url, marks.failing[index] as Mark).catch((cause) => {
      throw new Error(`The mishap '${what}' did not come to its end.`, { cause })
    })
  await Promise.all(marks.odd.map((mark, index) => join(url, mark, { cc_number: ODD[index] })))
  await withoutTable(site, () => Promise.all(marks.broken.map((mark) => join(url, mark))))
}

/** PostgreSQL writes every statement and its values into its own log. */
async function logStatements(site: Site, which: 'all' | 'none') {
  if (site.database !== 'PostgreSQL') return
  const books = await site.open()
  await books.ask(`alter system set log_statement = '${which}'`)
  await books.ask('select pg_reload_conf()')
  await books.close()
}

/** A bug of ours, as the database tells it: the table that an attempt is written to has another name for a while. */
async function withoutTable(site: Site, work: () => Promise<unknown>) {
  if (site.database !== 'PostgreSQL') return
  const books = await site.open()
  await books.ask('alter table payment rename column details to gone')
  await work()
  await books.ask('alter table payment rename column gone to details')
  await books.close()
}

/** Kills the server while these marks are on their way, lets the next one recover, and stops that one politely. */
export async function cutOff(site: Site, server: Server, folder: string, marks: Mark[]): Promise<void> {
  const underWay = marks.map((mark) => join(server.url, mark))
  await Promise.race(underWay).catch(() => undefined) // the others are somewhere on their way
  server.child.kill('SIGKILL')
  await Promise.allSettled([...underWay, server.ended])
  const again = await startTalkative(site, folder)
  again.child.kill('SIGTERM')
  const { code } = await again.ended
  if (code !== 0) throw new Error(`The server did not stop cleanly:\n${again.said()}`)
}
