import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { validAnswers } from '#server/test/answers.ts'
import { type Challenge, solve } from '#server/test/solve-captcha.ts'
import { createPayment } from '#web/enroll/steps/payment/payment.ts'
import { RejectedCall } from '#web/rejected-call.ts'
import { type HttpClient, type RequestOptions, Unreachable } from './http-client.ts'

export { cards }
/** Another good card, for a second try. */
export const otherCard = '5555555555554444'

/** What a visitor was told, for the audit. */
export type VisitorRecord = {
  enrollment_id: string
  username: string
  email: string
  cookie: string
  approved: boolean
  /** The attempts that were reported as declined. */
  declined: number[]
  /** Answers other than "Approved" that came after "Approved". */
  retractions: string[]
  /** Refusals that a visitor with a correct form should never see. */
  unexpectedRefusals: string[]
  /** Names of refused fields, such as a username that another visitor claimed first. */
  refusedFields: string[]
  /** Whether an attempt may have begun. */
  hasSubmitted: boolean
  /** How many answers there were about the payment, and how many of them said "Pending". */
  answers: number
  pending: number
}

/** A correctly filled form. */
export const answersOf = ({ username, email }: Pick<VisitorRecord, 'username' | 'email'>) => ({
  ...validAnswers(username),
  email,
})

export const uniqueUsername = () => `v${randomUUID().replaceAll('-', '').slice(0, 15)}`

/** Gets a challenge and solves it, as the widget does. */
export async function solveCaptcha(client: HttpClient): Promise<string> {
  const { status, body } = await client.call('GET', '/captcha/challenge')
  if (status !== 200) throw new Unreachable(`no challenge: ${status}`)
  return solve(body as Challenge)
}

/** Opens a sponsor's page and gets the enrollment cookie. */
export async function arrive(client: HttpClient, username = uniqueUsername()): Promise<VisitorRecord> {
  const { status, cookies } = await client.get('/ana')
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
    retractions: [],
    unexpectedRefusals: [],
    refusedFields: [],
    hasSubmitted: false,
    answers: 0,
    pending: 0,
  }
}

/** The page's two payment calls. They write every answer into the record. */
export function callsOf(client: HttpClient, record: VisitorRecord) {
  const addToRecord = (payment: string, key: string | undefined, wasApproved: boolean) => {
    if (payment !== 'none') record.answers += 1
    if (payment === 'Pending') record.pending += 1
    if (wasApproved && payment !== 'Approved') record.retractions.push(payment)
    if (payment === 'Approved') record.approved = true
    const attempt = Number(key?.split('.')[1])
    if (payment === 'Declined' && attempt && !record.declined.includes(attempt)) record.declined.push(attempt)
  }
  const send = async (method: 'GET' | 'POST', path: string, options: RequestOptions) => {
    const { status, headers, body } = await client.call(method, path, { ...options, cookie: record.cookie })
    if (status < 300) return body
    const refusal = typeof body === 'object' && body !== null && 'message' in body ? body : { message: String(body) }
    throw new RejectedCall(
      status,
      refusal as ConstructorParameters<typeof RejectedCall>[1],
      Number(headers['retry-after']) || undefined,
    )
  }
  return {
    addEnrollment: async (order: object, { key }: { key?: string } = {}) => {
      record.hasSubmitted = true
      const wasApproved = record.approved
      const reply = (await send('POST', '/enrollment/add-enrollment', {
        ...(key ? { key } : {}),
        body: order,
      })) as EnrollmentReply
      addToRecord(reply.payment, key, wasApproved)
      return reply
    },
    getStatus: async (_: object, { key }: { key?: string } = {}) => {
      const wasApproved = record.approved
      const status = (await send('GET', '/enrollment/status', key ? { key } : {})) as EnrollmentStatus
      addToRecord(status.reply?.payment ?? status.state, key, wasApproved)
      return status
    },
  }
}

/** The page waits two seconds after a lost answer; drills wait a tenth of that. */
const SPEED_UP = 10
const PAUSE_MS = 150

export type VisitPlan = {
  /** Cards in the order in which they are tried. The last one is used again and again. */
  cards: string[]
  /** Closes the page this many milliseconds after submitting. */
  leavesAfterMs?: number
  /** Tries the next card even if the card was not the problem. */
  changesCard?: true
}
type VisitOptions = {
  /** False: the page is closed. */
  isOpen: () => boolean
  /** Called when the payment is being checked: from now on the visitor only waits. */
  onWaiting?: () => void
}

/** Pays with the page's own code, until approved, told to choose another username, or gone. */
export async function visit(
  client: HttpClient,
  record: VisitorRecord,
  plan: VisitPlan,
  { isOpen, onWaiting }: VisitOptions,
): Promise<void> {
  const payment = createPayment({
    calls: callsOf(client, record),
    enrollment_id: record.enrollment_id,
    saveToken: () => undefined,
    now: () => Date.now(),
    pause: (milliseconds) => sleep(milliseconds / SPEED_UP),
  })
  const answers = answersOf(record)
  let cardIndex = 0
  let captcha: string | undefined

  while (isOpen()) {
    captcha ??= await solveCaptcha(client).catch(() => undefined)
    if (!captcha) {
      await sleep(PAUSE_MS)
      continue
    }
    const cc_number = plan.cards[Math.min(cardIndex, plan.cards.length - 1)] ?? cards.good
    const submission = payment.submit({ ...answers, cc_number, captcha } as Enrollment)
    if (plan.leavesAfterMs !== undefined) {
      void submission.catch(() => undefined)
      return void (await sleep(plan.leavesAfterMs))
    }
    let outcome = await submission
    if (outcome.is === 'running') onWaiting?.()
    while (outcome.is === 'running' && isOpen()) {
      await sleep(PAUSE_MS)
      outcome = await payment.check().catch(() => ({ is: 'running' as const }))
    }
    switch (outcome.is) {
      case 'approved':
      case 'running':
        return
      case 'declined':
        cardIndex += 1
        captcha = undefined
        break
      case 'rejected': {
        captcha = undefined
        const fields = Object.keys(outcome.fields)
        record.refusedFields.push(...fields)
        if (fields.includes('username') || fields.includes('email')) return
        if (fields.length && !fields.includes('captcha')) {
          record.unexpectedRefusals.push(`${fields}: ${outcome.message}`)
          return
        }
        await sleep(PAUSE_MS)
        break
      }
      default:
        if (plan.changesCard) cardIndex += 1
        await sleep(PAUSE_MS)
    }
  }
}

/** Asks for the status again, for example after a crash. Anything but "Approved" goes into the record as a retraction. */
export async function checkStillApproved(client: HttpClient, record: VisitorRecord): Promise<void> {
  await callsOf(client, record)
    .getStatus({}, { key: `${record.enrollment_id}.1` })
    .catch((error: unknown) => {
      if (error instanceof RejectedCall && error.status < 500) record.retractions.push(error.message)
    })
}
