import { calls } from '#contract/api.ts'
import { solution } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type Door, type From, type House, type Reply } from '../in-process-site/in-process-site.ts'
import type { TurnedClock } from '../in-process-site/virtual-clock.ts'

/** Somebody who wants to join, and how they go about it. */
export type Person = {
  address: string
  answers: Record<string, string>
  /** Seconds after which they open the page. */
  arrives: number
  /** Seconds that they take for the form: a person minutes, a password manager seconds. */
  fills: number
  /** Usernames they ask for before the one they keep. */
  lookups: number
  /** The first CVC they type is declined. */
  mistypes: boolean
  /** Pays on a multiple of these seconds, if any: in the midst of somebody else's crowd. */
  meets?: number
}

/** What became of them. `waited`: seconds that we made them wait. */
export type Fate = { isThrough: boolean; wasAskedForCode: boolean; waited: number; end: string }

/** What the bank takes for a slip of the finger. */
export const MISTYPED = '999'

const PATIENCE_SECONDS = 600
const READS_CODE_SECONDS = 15
const THINKS_SECONDS = 20

class GaveUp extends Error {}

/** From the page to the office, as the page in the browser goes. */
export async function join(house: House, clock: TurnedClock, person: Person): Promise<Fate> {
  const fate: Fate = { isThrough: false, wasAskedForCode: false, waited: 0, end: '' }
  /** Asks again after the time that a refusal names, as long as there is patience left. */
  const patiently = async (ask: () => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const reply = await ask()
      const pause = reply.statusCode === 202 ? 2 : Number(reply.headers['retry-after'] ?? 0)
      if (![202, 429, 503].includes(reply.statusCode)) return reply
      if (!pause || fate.waited + pause > PATIENCE_SECONDS)
        throw new GaveUp(`${reply.statusCode} ${reply.json().message ?? 'pending'}`)
      fate.waited += pause
      await clock.sleep(pause)
    }
  }
  try {
    await clock.sleep(person.arrives)
    const page = await house.get('/ana', { address: person.address })
    const [, enrollment = ''] = /name="enrollment" content="([^"]+)"/.exec(page.body) ?? []
    const from: From = { address: person.address, cookie: cookieOf(page) }
    await clock.sleep(person.fills)
    await lookUp(house, person, from)
    if (person.meets) await clock.sleep(person.meets - (clock.passed() % person.meets))

    const pay = async (attempt: number, changes: Record<string, string> = {}) => {
      const captcha = await solution(house, from)
      const body = { ...person.answers, ...changes, captcha }
      const send = () => house.post(calls.addEnrollment.path, body, { ...from, key: `${enrollment}.${attempt}` })
      const reply = await patiently(send)
      if (!reply.json().fields?.code) return reply
      fate.wasAskedForCode = true
      await confirm(house, clock, person, from, patiently)
      return patiently(send)
    }
    let reply = await pay(1, person.mistypes ? { cc_cvv: MISTYPED } : {})
    if (reply.json().payment === 'Declined' && person.mistypes) {
      await clock.sleep(THINKS_SECONDS)
      reply = await pay(2)
    }
    const { payment, message, fields } = reply.json()
    fate.isThrough = payment === 'Approved'
    fate.end = payment ?? `${reply.statusCode} ${message} ${JSON.stringify(fields ?? {})}`
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error
    fate.end = error.message
  }
  return fate
}

async function lookUp(house: House, { answers, lookups }: Person, from: From) {
  for (let typed = 0; typed < lookups; typed++)
    await house.post(calls.validateUsername.path, { username: `${answers.username}${typed}` }, from)
  await house.post(calls.validateUsername.path, { username: answers.username }, from)
  await house.post(calls.validateEmail.path, { email: answers.email }, from)
}

async function confirm(
  house: House,
  clock: TurnedClock,
  { answers }: Person,
  from: From,
  patiently: (ask: () => Promise<Reply>) => Promise<Reply>,
) {
  const phone_number = answers.mobile_phone ?? ''
  const captcha = await solution(house, from)
  const sent = await patiently(() => house.post(calls.sendVerificationCode.path, { phone_number, captcha }, from))
  if (sent.json().status !== 1) throw new GaveUp(`no code: ${sent.json().message}`)
  await clock.sleep(READS_CODE_SECONDS)
  const code = await readCode(house, phone_number)
  const checked = await patiently(() => house.post(calls.verifyCode.path, { phone_number, code }, from))
  if (checked.json().status !== 1) throw new GaveUp(`code not taken: ${checked.json().message}`)
}

/** What stands on the screen of this phone. */
export async function readCode(house: Door, phone: string): Promise<string> {
  const outbox = await house.get(`/__outbox.json?to=${encodeURIComponent(phone)}`, { address: '127.0.0.1' })
  const [newest] = outbox.json() as { body: string }[]
  return /\b\d{6}\b/.exec(newest?.body ?? '')?.[0] ?? ''
}
