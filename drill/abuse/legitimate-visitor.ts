import { calls } from '#contract/api.ts'
import { testPagesCookie } from '#server/test/generous-settings.ts'
import { solveCaptcha } from '../in-process-site/captcha-solutions.ts'
import {
  cookieOf,
  type InProcessSite,
  type Reply,
  type Sender,
  type SiteClient,
} from '../in-process-site/in-process-site.ts'
import type { VirtualClock } from '../in-process-site/virtual-clock.ts'

export type VisitorProfile = {
  address: string
  answers: Record<string, string>
  /** In seconds after the start. */
  arrivesAt: number
  /** How long the form takes: minutes for a person, seconds for a password manager. */
  fillSeconds: number
  /** How many usernames are tried before the final one. */
  lookups: number
  /** The first CVC is mistyped and declined. */
  mistypesCvc: boolean
  /** Pays at a multiple of these seconds, together with a burst of the attack. */
  paysEvery?: number
}

/** `waitSeconds`: how long Foyer made the visitor wait. */
export type VisitResult = { isEnrolled: boolean; wasAskedForCode: boolean; waitSeconds: number; outcome: string }

/** The bank declines this CVC as a typing mistake. */
export const MISTYPED_CVC = '999'

const MAX_WAIT_SECONDS = 600
const READ_CODE_SECONDS = 15
const RETRY_SECONDS = 20

class GaveUp extends Error {}

/** Opens the page, fills the form and pays, with the same calls as the page in a browser. */
export async function enroll(site: InProcessSite, clock: VirtualClock, profile: VisitorProfile): Promise<VisitResult> {
  const result: VisitResult = { isEnrolled: false, wasAskedForCode: false, waitSeconds: 0, outcome: '' }
  /** Retries after the time that the refusal names, until the visitor has waited too long. */
  const withRetries = async (send: () => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const reply = await send()
      const pause = reply.statusCode === 202 ? 2 : Number(reply.headers['retry-after'] ?? 0)
      if (![202, 429, 503].includes(reply.statusCode)) return reply
      if (!pause || result.waitSeconds + pause > MAX_WAIT_SECONDS)
        throw new GaveUp(`${reply.statusCode} ${reply.json().message ?? 'pending'}`)
      result.waitSeconds += pause
      await clock.sleep(pause)
    }
  }
  try {
    await clock.sleep(profile.arrivesAt)
    const page = await site.get('/ana', { address: profile.address })
    const [, enrollment = ''] = /name="enrollment" content="([^"]+)"/.exec(page.body) ?? []
    const sender: Sender = { address: profile.address, cookie: cookieOf(page) }
    await clock.sleep(profile.fillSeconds)
    await lookUp(site, profile, sender)
    if (profile.paysEvery) await clock.sleep(profile.paysEvery - (clock.elapsedSeconds() % profile.paysEvery))

    const pay = async (attempt: number, changes: Record<string, string> = {}) => {
      const captcha = await solveCaptcha(site, sender)
      const body = { ...profile.answers, ...changes, captcha }
      const send = () => site.post(calls.addEnrollment.path, body, { ...sender, key: `${enrollment}.${attempt}` })
      const reply = await withRetries(send)
      if (!reply.json().fields?.code) return reply
      result.wasAskedForCode = true
      await confirmPhone(site, clock, profile, sender, withRetries)
      return withRetries(send)
    }
    let reply = await pay(1, profile.mistypesCvc ? { cc_cvv: MISTYPED_CVC } : {})
    if (reply.json().payment === 'Declined' && profile.mistypesCvc) {
      await clock.sleep(RETRY_SECONDS)
      reply = await pay(2)
    }
    const { payment, message, fields } = reply.json()
    result.isEnrolled = payment === 'Approved'
    result.outcome = payment ?? `${reply.statusCode} ${message} ${JSON.stringify(fields ?? {})}`
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error
    result.outcome = error.message
  }
  return result
}

async function lookUp(site: InProcessSite, { answers, lookups }: VisitorProfile, sender: Sender) {
  for (let n = 0; n < lookups; n++)
    await site.post(calls.validateUsername.path, { username: `${answers.username}${n}` }, sender)
  await site.post(calls.validateUsername.path, { username: answers.username }, sender)
  await site.post(calls.validateEmail.path, { email: answers.email }, sender)
}

async function confirmPhone(
  site: InProcessSite,
  clock: VirtualClock,
  { answers }: VisitorProfile,
  sender: Sender,
  withRetries: (send: () => Promise<Reply>) => Promise<Reply>,
) {
  const phone_number = answers.mobile_phone ?? ''
  const captcha = await solveCaptcha(site, sender)
  const codeReply = await withRetries(() =>
    site.post(calls.sendVerificationCode.path, { phone_number, captcha }, sender),
  )
  if (codeReply.json().status !== 1) throw new GaveUp(`no code: ${codeReply.json().message}`)
  await clock.sleep(READ_CODE_SECONDS)
  const code = await readCode(site, phone_number)
  const verifyReply = await withRetries(() => site.post(calls.verifyCode.path, { phone_number, code }, sender))
  if (verifyReply.json().status !== 1) throw new GaveUp(`code not accepted: ${verifyReply.json().message}`)
}

/** Reads the last code that was sent to this phone. */
export async function readCode(site: SiteClient, phone: string): Promise<string> {
  const outbox = await site.get(`/__outbox.json?to=${encodeURIComponent(phone)}`, {
    address: '127.0.0.1',
    cookie: testPagesCookie,
  })
  const [newest] = outbox.json() as { body: string }[]
  return /\b\d{6}\b/.exec(newest?.body ?? '')?.[0] ?? ''
}
