import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { answersOf as filled } from '#server/test/answers.ts'
import { type Challenge, solve } from '#server/test/solve.ts'
import { RejectedCall } from '#web/call.ts'
import { createPayment } from '#web/enroll/steps/payment/payment.ts'
import { type Asking, type Caller, Unreachable } from './caller.ts'

export { cards }
/** Another good card, for somebody who tries again. */
export const otherCard = '5555555555554444'

/** What a visitor was told, for the audit. */
export type Heard = {
  enrollment_id: string
  username: string
  email: string
  cookie: string
  approved: boolean
  /** The attempts that were called declined. */
  declined: number[]
  /** What was said after "Approved" and is not "Approved". */
  takenBack: string[]
  /** Refusals that nobody who fills the form rightly should meet. */
  odd: string[]
  /** Fields that were refused, by name: a username that somebody else was faster to take. */
  refusedFields: string[]
  /** Whether an attempt may have begun. */
  pressed: boolean
  /** How often anything was said about the payment, and how often it was to wait. */
  answers: number
  pending: number
}

/** What a person who makes no mistakes answers. */
export const answersOf = ({ username, email }: Pick<Heard, 'username' | 'email'>) => ({ ...filled(username), email })

/** Everybody who ever comes has another name. */
export const newName = () => `v${randomUUID().replaceAll('-', '').slice(0, 15)}`

/** A challenge, solved as the widget does. */
export async function solveCaptcha(caller: Caller): Promise<string> {
  const { status, body } = await caller.call('GET', '/captcha/challenge')
  if (status !== 200) throw new Unreachable(`no challenge: ${status}`)
  return solve(body as Challenge)
}

/** Opens a sponsor's page, and gets the enrollment's cookie. */
export async function arrive(caller: Caller, username = newName()): Promise<Heard> {
  const { status, cookies } = await caller.get('/ana')
  const cookie = cookies.find((text) => text.startsWith('foyer_enrollment='))?.split(';')[0]
  if (status !== 200 || !cookie) throw new Unreachable(`no page: ${status}`)
  const enrollment_id = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? ''
  return {
    enrollment_id,
    username,
    email: `${username}@mail.example`,
    cookie,
    approved: false,
    declined: [],
    takenBack: [],
    odd: [],
    refusedFields: [],
    pressed: false,
    answers: 0,
    pending: 0,
  }
}

/** The two calls of the page, noting what is heard. */
export function callsOf(caller: Caller, heard: Heard) {
  const note = (payment: string, key: string | undefined, wasApproved: boolean) => {
    if (payment !== 'none') heard.answers += 1
    if (payment === 'Pending') heard.pending += 1
    if (wasApproved && payment !== 'Approved') heard.takenBack.push(payment)
    if (payment === 'Approved') heard.approved = true
    const attempt = Number(key?.split('.')[1])
    if (payment === 'Declined' && attempt && !heard.declined.includes(attempt)) heard.declined.push(attempt)
  }
  const send = async (method: 'GET' | 'POST', path: string, asking: Asking) => {
    const { status, body } = await caller.call(method, path, { ...asking, cookie: heard.cookie })
    if (status < 300) return body
    const told = typeof body === 'object' && body !== null && 'message' in body ? body : { message: String(body) }
    throw new RejectedCall(status, told as ConstructorParameters<typeof RejectedCall>[1])
  }
  return {
    addEnrollment: async (order: object, { key }: { key?: string } = {}) => {
      heard.pressed = true
      const wasApproved = heard.approved
      const reply = (await send('POST', '/enrollment/add-enrollment', {
        ...(key ? { key } : {}),
        body: order,
      })) as EnrollmentReply
      note(reply.payment, key, wasApproved)
      return reply
    },
    getStatus: async (_: object, { key }: { key?: string } = {}) => {
      const wasApproved = heard.approved
      const status = (await send('GET', '/enrollment/status', key ? { key } : {})) as EnrollmentStatus
      note(status.reply?.payment ?? status.state, key, wasApproved)
      return status
    },
  }
}

/** The page waits two seconds after a lost answer; a drill has less time. */
const HURRY = 10
const PAUSE = 150

type Plan = {
  /** The cards in the order in which they are tried; the last one stays. */
  cards: string[]
  /** Closes the page this many milliseconds after pressing. */
  leavesAfter?: number
  /** Takes the next card also when it was not the card's fault. */
  changesCard?: true
}
type Going = {
  /** False: the page is closed. */
  going: () => boolean
  /** The payment is being checked: from here on the visitor only waits. */
  waiting?: () => void
}

/** A visitor with the page's own way through payment, until approved, told to choose another name, or gone. */
export async function visit(caller: Caller, heard: Heard, plan: Plan, { going, waiting }: Going): Promise<void> {
  const payment = createPayment({
    calls: callsOf(caller, heard),
    enrollment_id: heard.enrollment_id,
    saveToken: () => undefined,
    now: () => Date.now(),
    pause: (milliseconds) => sleep(milliseconds / HURRY),
  })
  const answers = answersOf(heard)
  let card = 0
  let captcha: string | undefined

  while (going()) {
    captcha ??= await solveCaptcha(caller).catch(() => undefined)
    if (!captcha) {
      await sleep(PAUSE)
      continue
    }
    const cc_number = plan.cards[Math.min(card, plan.cards.length - 1)] ?? cards.good
    const pressed = payment.submit({ ...answers, cc_number, captcha } as Enrollment)
    if (plan.leavesAfter !== undefined) {
      void pressed.catch(() => undefined)
      return void (await sleep(plan.leavesAfter))
    }
    let outcome = await pressed
    if (outcome.is === 'running') waiting?.()
    while (outcome.is === 'running' && going()) {
      await sleep(PAUSE)
      outcome = await payment.check().catch(() => ({ is: 'running' as const }))
    }
    switch (outcome.is) {
      case 'approved':
      case 'running':
        return
      case 'declined':
        card += 1
        captcha = undefined
        break
      case 'rejected': {
        captcha = undefined
        const fields = Object.keys(outcome.fields)
        heard.refusedFields.push(...fields)
        if (fields.includes('username') || fields.includes('email')) return
        if (fields.length && !fields.includes('captcha')) {
          heard.odd.push(`${fields}: ${outcome.message}`)
          return
        }
        await sleep(PAUSE)
        break
      }
      default:
        if (plan.changesCard) card += 1
        await sleep(PAUSE)
    }
  }
}

/** Whether "Approved" still stands: asked again after a crash, it must be the first thing that is heard. */
export async function askAgain(caller: Caller, heard: Heard): Promise<void> {
  await callsOf(caller, heard)
    .getStatus({}, { key: `${heard.enrollment_id}.1` })
    .catch((error: unknown) => {
      if (error instanceof RejectedCall && error.status < 500) heard.takenBack.push(error.message)
    })
}
