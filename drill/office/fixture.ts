import { setTimeout as sleep } from 'node:timers/promises'
import { calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office-calls.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import type { Ground, Place, Scale } from '../drill.ts'
import { solution } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type Door, openHouses } from '../in-process-site/in-process-site.ts'
import { americanPhone, answersOf, cardNumber, honestAddress } from '../test-data.ts'

const LONG = { people: 20 }
const SHORT = { people: 2 }
const STRANGERS = 3
const TRIES = 100
const NOW = new Date('2026-11-15T12:00:00Z')
const PASSWORD = 'Open-Sesame-7'
const WIDE = '999999999/86400'

/** As an operator runs it, without the pages that only development has; no limit stands before what is drilled. */
const settings = {
  NODE_ENV: 'production',
  SECRET: 'a secret for the drill of the office',
  PUBLIC_URL: 'https://foyer.test',
  ALLOW_EMBEDDED: 'database,payment,phone,mail',
  HASHES_WAITING: '100000',
  LIMIT_GRANTS: WIDE,
  LIMIT_SIGN_INS: WIDE,
  LIMIT_SIGN_INS_BY_NAME: WIDE,
  LIMIT_LETTERS: WIDE,
  LIMIT_LETTERS_BY_NAME: WIDE,
}

type Answer = 'last_name' | 'email' | 'mobile_phone' | 'address' | 'city' | 'post_code' | 'cc_number'
export type Person = Record<'name' | 'password' | Answer, string>
export type Scene = Awaited<ReturnType<typeof openScene>>

/** A member in the office and those whom they brought, on two Foyers where the database can be shared. */
export async function openScene(drill: Scale, ground: Ground, place: Place) {
  const opened = await openHouses(drill, ground, place, { now: () => NOW, settings })
  const { house } = opened
  const sponsor = await join(house, 0, 'ana')
  const { people } = drill.short ? SHORT : LONG
  const brought = await joinMany(house, people, 1, sponsor.name)
  const strangers = await joinStrangers(house, people + 1)
  return {
    ...opened,
    sponsor,
    brought,
    /** Members of another sponsor. */
    strangers,
  }
}

const joinMany = (house: Door, count: number, first: number, site: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => join(house, first + n, site)))

/** As many as there are things that are good once. */
export const joinStrangers = (house: Door, first = 0) => joinMany(house, STRANGERS, first, 'ana')

/** The n-th of them, of whom everything but the first name is theirs alone. */
async function join(house: Door, n: number, site: string): Promise<Person> {
  const from = { address: honestAddress(n) }
  const name = `quince${n}x`
  const mobile_phone = americanPhone(n)
  const cc_number = cardNumber('4539', 7_000 + n * 37)
  const own = {
    last_name: `Lastname${n}`,
    email: `post.${n}.medlar@mail.example`,
    address: `${n} Rowan${n}tree Lane`,
    city: `Sorb${n}ville`,
    post_code: `${89_000 + n}-${4_000 + n}`,
  }
  const answers = { ...answersOf(name, mobile_phone, cc_number), ...own, password: PASSWORD, sponsor_site_name: site }
  const captcha = await solution(house, from)
  const reply = await house.post(calls.addEnrollment.path, { ...answers, captcha }, from)
  if (reply.json().payment !== 'Approved') throw new Error(`nobody joined: ${reply.body}`)
  return { ...own, name, mobile_phone, cc_number, password: PASSWORD }
}

/** The cookie of somebody who has signed in. */
export async function cookieFor(house: Door, { name, password }: Person): Promise<string> {
  const reply = await house.post(officeCalls.signIn.path, { name, password }, { address: honestAddress(0) })
  if (reply.statusCode !== 200) throw new Error(`nobody signed in: ${reply.body}`)
  return cookieOf(reply)
}

/** Does what is left to do, and reads the word for this page of the office in a letter to somebody. */
export async function wordTo({ world }: Door, email: string, page: 'new-password' | 'confirm-email'): Promise<string> {
  const find = () =>
    world.db
      .selectFrom('message')
      .select('body')
      .where('recipient', '=', email)
      .where('body', 'like', `%/office/${page}#%`)
      .executeTakeFirst()
  while (await runJobs(world));
  let letter = await find()
  // Another process may just be writing it.
  for (let tries = 0; !letter && tries < TRIES; tries++) letter = await sleep(100).then(find)
  if (!letter) throw new Error(`no letter for ${page}`)
  return letter.body.split(`/office/${page}#`)[1]?.slice(0, 43) ?? ''
}
