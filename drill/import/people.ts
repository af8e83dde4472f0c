import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { daysLater } from '../renewals/calendar.ts'
import { seededRandom } from '../seeded-random.ts'

type State = 'active' | 'ended'
export type Person = { username: string; sponsor: string; renews_on: string; price: string; state: State }

const RENEWAL_DAYS = 28

/** Members of another system. A sponsor may come long after the members they brought. */
export function makePeople(count: number, today: string, seed: number): Person[] {
  const random = seededRandom(seed, 0)
  const people = Array.from({ length: count }, (_, number): Person => {
    const isEnded = random.below(20) === 0
    return {
      username: `p${number}`,
      sponsor: number === 0 || random.below(50) === 0 ? 'master' : `p${random.below(number)}`,
      renews_on: isEnded ? '2026-01-15' : daysLater(today, 1 + random.below(RENEWAL_DAYS)),
      price: `${10 + random.below(90)}.00`,
      state: isEnded ? 'ended' : 'active',
    }
  })
  for (let last = people.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const [one, two] = [people[last], people[other]]
    if (one && two) [people[last], people[other]] = [two, one]
  }
  return people
}

const HEADER = [
  ...['username', 'first_name', 'last_name', 'email', 'sponsor', 'joined_on', 'membership', 'renews_on', 'price'],
  ...['vault_reference', 'card_brand', 'card_last_four', 'card_expires', 'external_id'],
]

function* lines(people: Person[]) {
  yield `\uFEFF${HEADER.join()}\r\n`
  for (const { username, sponsor, renews_on, price, state } of people) {
    const person = [
      username,
      'Zoë',
      `"Number ""${username}"""`,
      `${username}@example.com`,
      sponsor,
      '2024-03-15',
      state,
    ]
    const card = [`v_${username}`, 'visa', '4242', '2040-12', `x-${username}`]
    yield `${[...person, renews_on, price, ...card].join()}\r\n`
  }
}

export const writeCsv = (file: string, people: Person[]) =>
  pipeline(Readable.from(lines(people)), createWriteStream(file))

/** The gateway's file with the stored cards. */
export async function writeCards(file: string, people: Person[], at: string) {
  await mkdir(dirname(file), { recursive: true })
  const card = { test_card: 'good', brand: 'visa', last_four: '4242', expires: '2040-12' }
  const text = people.map(({ username }) => JSON.stringify({ at, vault_reference: `v_${username}`, ...card }))
  await writeFile(file, `${text.join('\n')}\n`)
}
