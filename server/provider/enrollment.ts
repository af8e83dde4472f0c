import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { calls, type EnrollmentReply, type EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { countCardUse, refuseCrowd, riskBeforeCharge } from '#server/abuse/card-limits.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { refuseNewcomers } from '#server/abuse/restrictions.ts'
import { ownOffice } from '#server/config/operator.ts'
import { untilDatabaseIsBack } from '#server/db/away.ts'
import { confirmingOf } from '#server/enrollment/screening.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { requireVerifiedPhone } from '#server/phone/verified.ts'
import { isOurFailure, Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { HostPayment } from './answers.ts'
import {
  type Attempt,
  beginAttempt,
  countRunning,
  endAttempt,
  findAttempts,
  loseOverdue,
  type State,
} from './attempts.ts'
import { type Answer, payloadOf } from './calls.ts'
import { officeUrlIn } from './office.ts'
import type { Provider } from './provider.ts'
import { screen } from './screening.ts'
import type { ProviderVisitor } from './visitor.ts'

/**
 * From a completed form to the host's answer. The host charges the card and keeps the member; we keep only a row, without
 * personal data, that says the enrollment was sent. It's committed first, so that an enrollment is sent again only after the
 * visitor was told that the card may be charged twice.
 */
export async function enroll(
  provider: Provider,
  order: Enrollment,
  visitor: ProviderVisitor,
): Promise<EnrollmentReply> {
  const { world } = provider
  const key = visitor.key ?? (await nextKey(provider, visitor, order.after_unknown))
  const press = referenceOf(key)
  if (inProgress.has(press)) return PENDING
  inProgress.add(press)
  try {
    const earlier = await replyOf(provider, key, visitor, order.after_unknown)
    if (earlier) return earlier
    await refuseNewcomers(world, visitor)
    const use = await countAgainstLimit(world, 'LIMIT_ENROLLMENTS', visitor.address)
    return await screenAndSend(provider, order, key, visitor).catch(async (error: unknown) => {
      if (isOurFailure(error)) await use.giveBack().catch(() => undefined)
      throw error
    })
  } finally {
    inProgress.delete(press)
  }
}

/** A repeated request does not compete with the first one. It only saves work; the database decides which one is first. */
const inProgress = new Set<string>()

/** A stopping site waits for the host: otherwise the outcome of running enrollments would stay unknown. */
export async function untilAnswered(): Promise<void> {
  while (inProgress.size) await sleep(50)
}

async function screenAndSend(provider: Provider, order: Enrollment, key: AttemptKey, visitor: ProviderVisitor) {
  const { world } = provider
  await screen(provider, { order, key, visitor })
  const { cc_number, mobile_phone } = order
  const use = {
    cc_number,
    mobile_phone,
    enrollment_id: key.enrollment_id,
    reference: referenceOf(key),
    client: visitor,
  }
  const counted = await countCardUse(world, use)
  let reply: EnrollmentReply | undefined
  try {
    const { isRisky, isCrowded } = await riskBeforeCharge(world, visitor)
    await requireVerifiedPhone(world, confirmingOf({ order, key, visitor }), {
      isTripped: () => isRisky,
      isCharging: true,
    })
    if (isCrowded || (await countRunning(world)) >= world.config.PAYMENTS_AT_ONCE) refuseCrowd()
    reply = await send(provider, order, key, visitor)
    return reply
  } finally {
    await counted.settle(reply?.payment)
  }
}

/** Sends it, once. */
async function send(
  provider: Provider,
  order: Enrollment,
  key: AttemptKey,
  visitor: ProviderVisitor,
): Promise<EnrollmentReply> {
  const { world, ask } = provider
  const reference = await beginAttempt(world, key, order.after_unknown)
  if (!reference) return (await replyOf(provider, key, visitor, order.after_unknown)) ?? PENDING // a parallel request was first
  if (!visitor.enrollment_id) visitor.setEnrollmentCookie(key.enrollment_id, visitor.touches)
  const answer = await ask('enroll', { ...world.config.PROVIDER_HIDDEN_FIELDS, ...payloadOf(order) }, { reference })
  const { state, reply } = outcomeOf(provider, answer, reference)
  if (state === 'approved' && reply) provider.approvals.keep(key.enrollment_id, reply)
  await endInTime(world, reference, state)
  if (reply?.payment === 'Approved') visitor.setJoinedCookie(key.enrollment_id, order.username)
  if (reply) return reply
  throw refusalOf(answer)
}

/** What the host's answer means, and what the visitor gets. No reply means refused, with nothing charged. */
function outcomeOf(
  provider: Provider,
  answer: Answer<HostPayment>,
  reference: string,
): { state: State; reply?: EnrollmentReply } {
  const { log } = provider.world
  if (answer.is === 'answer') {
    const { payment, isOtherWord, token } = answer.value
    const warn = (why: string) =>
      log.warn({ reference, path: calls.addEnrollment.path, why }, 'the API host’s answer is odd')
    if (isOtherWord) warn('payment is neither Approved nor Declined')
    if (payment === 'Declined') return { state: 'declined', reply: DECLINED }
    const vo_url = officeUrlIn(provider.world.config, answer.value.vo_url)
    if (!vo_url) warn('vo_url leads to no host of PROVIDER_OFFICE_HOSTS')
    else if (!token) warn('token is missing')
    return {
      state: 'approved',
      reply: { payment, token: vo_url ? token : '', vo_url: vo_url ?? ownOffice(provider.world.config) },
    }
  }
  if (answer.is === 'refused')
    return answer.status === PAYMENT_REQUIRED ? { state: 'declined', reply: DECLINED } : { state: 'refused' }
  const about = { reference, path: calls.addEnrollment.path, why: answer.why }
  if (answer.isSent) log.error(about, 'the outcome of an enrollment is unknown: the API host’s answer was lost')
  else log.warn(about, 'an enrollment was not sent: the API host can’t be reached')
  if (!answer.isSent) return { state: 'refused' }
  return { state: 'unknown', reply: unknown(reference) }
}

const PAYMENT_REQUIRED = 402

/** Nothing was charged. The host's message is shown if it's about what was entered. */
function refusalOf(answer: Answer<unknown>): Refusal {
  const isAboutInput = answer.is === 'refused' && [400, 409, 422].includes(answer.status)
  if (isAboutInput && Object.keys(answer.fields).length) return refuseFields(answer.fields)
  if (isAboutInput && answer.message) return new Refusal(422, answer.message)
  return new Refusal(502, 'There was an error processing your payment. Please try again later.')
}

const DB_PATIENCE_MS = 5_000

/** The visitor gets the true outcome even if it can't be saved; the row then becomes unknown. */
const endInTime = (world: World, reference: string, state: State) =>
  untilDatabaseIsBack(DB_PATIENCE_MS, () => endAttempt(world.db, reference, state)).catch((err: unknown) =>
    world.log.error({ err, reference, state }, 'the outcome of an enrollment could not be written'),
  )

/** Without a key, the caller continues the enrollment in their cookie. */
async function nextKey(
  provider: Provider,
  { enrollment_id }: ProviderVisitor,
  after_unknown?: string,
): Promise<AttemptKey> {
  if (!enrollment_id) return { enrollment_id: randomUUID(), attempt: 1 }
  const last = (await findAttempts(provider.world.db, enrollment_id)).at(-1)
  if (!last) return { enrollment_id, attempt: 1 }
  const isOver = last.state === 'declined' || (last.state === 'unknown' && last.reference === after_unknown)
  return { enrollment_id, attempt: last.attempt + (isOver ? 1 : 0) }
}

/** The reply if we already know the outcome. Undefined: this key may be sent. */
async function replyOf(
  provider: Provider,
  key: AttemptKey,
  visitor: ProviderVisitor,
  after_unknown?: string,
): Promise<EnrollmentReply | undefined> {
  const { world } = provider
  const attempts = await currentAttempts(world, key.enrollment_id)
  if (attempts.some(({ state }) => state === 'approved')) return provider.approvals.replyFor(key.enrollment_id, visitor)
  const same = attempts.find(({ attempt }) => attempt === key.attempt)
  if (same?.state === 'declined') return DECLINED
  if (attempts.some(({ state }) => state === 'sent')) return PENDING
  const lost = attempts.find(({ state }) => state === 'unknown')
  if (lost && (lost.reference !== after_unknown || lost.attempt >= key.attempt)) return unknown(lost.reference)
  const isOver = same?.state === 'passed' || attempts.some(({ attempt }) => attempt > key.attempt)
  if (isOver) throw new Refusal(409, 'This payment attempt has ended. Please try again.')
  return undefined
}

/** The attempts, with those that a dead process left running marked as unknown. */
async function currentAttempts(world: World, enrollment_id: string): Promise<Attempt[]> {
  const attempts = await findAttempts(world.db, enrollment_id)
  const isRunning = attempts.some(({ state }) => state === 'sent')
  return isRunning && (await loseOverdue(world)) ? findAttempts(world.db, enrollment_id) : attempts
}

/** For a page that lost the reply. Sends nothing to the host. */
export async function enrollmentStatus(provider: Provider, visitor: ProviderVisitor): Promise<EnrollmentStatus> {
  const key = visitor.key ?? (await nextKey(provider, visitor))
  const attempts = await currentAttempts(provider.world, key.enrollment_id)
  const isReusable = attempts.at(-1)?.state === 'refused'
  const next = Math.max(key.attempt, (attempts.at(-1)?.attempt ?? 0) + (isReusable ? 0 : 1))
  const reply = await replyOf(provider, key, visitor).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    return undefined
  })
  switch (reply?.payment ?? (inProgress.has(referenceOf(key)) ? 'Pending' : 'None')) {
    case 'Approved':
      return { state: 'approved', attempt: key.attempt, reply }
    case 'Pending':
      return { state: 'running', attempt: key.attempt, reply }
    case 'Declined':
      return { state: 'declined', attempt: next, reply }
    case 'Unknown':
      return { state: 'unknown', attempt: next, reply }
    default:
      return { state: 'none', attempt: next }
  }
}

const PENDING: EnrollmentReply = { payment: 'Pending', token: '', vo_url: '' }
const DECLINED: EnrollmentReply = { payment: 'Declined', token: '', vo_url: '', decline_class: 'bank' }
const unknown = (reference: string): EnrollmentReply => ({ payment: 'Unknown', token: '', vo_url: '', reference })
