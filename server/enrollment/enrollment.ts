import { randomUUID } from 'node:crypto'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { officeAddress } from '#contract/office/address.ts'
import { countCardUse, refuseCrowd, riskBeforeCharge } from '#server/abuse/card-limits.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { refuseNewcomers } from '#server/abuse/restrictions.ts'
import { networkOf } from '#server/client.ts'
import { untilDatabaseIsBack } from '#server/db/away.ts'
import type { Db } from '#server/db/db.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { leaseMs } from '#server/gateways/payment/deadlines.ts'
import type { Authorization, Failure } from '#server/gateways/payment/port.ts'
import { type Access, mintGrant } from '#server/members/grant.ts'
import { memberOfEnrollment } from '#server/members/members.ts'
import {
  type Attempt,
  authorize,
  awaitGateway,
  endedWithoutCharge,
  findAttempts,
  isOpen,
} from '#server/payments/payments.ts'
import { requireVerifiedPhone } from '#server/phone/verified.ts'
import { isOurFailure, Refusal } from '#server/refusal.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import { admit } from './admission.ts'
import { releaseAttempt } from './release.ts'
import { reserve, type ScreenedOrder } from './reservation.ts'
import { confirmingOf, type PaymentRequest, screenOrder } from './screening.ts'

/**
 * From a completed form to a member with a token for the office. The order of the steps matters: the card is only
 * authorized here, and a job captures the money after the member has been written.
 */
export async function enroll(world: World, order: Enrollment, visitor: Visitor): Promise<EnrollmentReply> {
  const key = visitor.key ?? (await nextKey(world, visitor))
  const reference = referenceOf(key)
  if (inProgress.has(reference)) return PENDING // a repeated request does not compete with the first one for the database
  const previousReply = await findPreviousReply(world, key, visitor)
  if (previousReply) return previousReply
  await refuseNewcomers(world, visitor)
  if (inProgress.has(reference)) return PENDING // another request has started during the lookup
  inProgress.add(reference)
  try {
    const use = await countAgainstLimit(world, 'LIMIT_ENROLLMENTS', visitor.address)
    return await screenAndCharge(world, { order, key, visitor }).catch(async (error: unknown) => {
      if (isOurFailure(error)) await use.giveBack().catch(() => undefined)
      throw error
    })
  } finally {
    inProgress.delete(reference)
  }
}

/** Cheap checks come before expensive ones. */
async function screenAndCharge(world: World, request: PaymentRequest): Promise<EnrollmentReply> {
  const screened = await screenOrder(world, request)
  const { order, key, visitor } = request
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
    reply = await charge(world, request, screened)
    return reply
  } finally {
    await counted.settle(reply?.payment)
  }
}

/** The steps that cost time or money. */
async function charge(world: World, request: PaymentRequest, screened: ScreenedOrder): Promise<EnrollmentReply> {
  const { order, key, visitor } = request
  const password_hash = await hashPassword(order.password, world.config, {
    lane: 'enrollment',
    key: networkOf(visitor),
  })
  const { isRisky, isCrowded } = await riskBeforeCharge(world, visitor)
  await requireVerifiedPhone(world, confirmingOf(request), { isTripped: () => isRisky, isCharging: true })
  if (isCrowded) refuseCrowd()
  const attempt = await reserve(world, key, screened, password_hash) // claims the username and the email
  if (!attempt) return PENDING // another request for this enrollment came first
  if (!visitor.enrollment_id) visitor.setEnrollmentCookie(key.enrollment_id, screened.touches)

  const authorization = await authorize(world, attempt, order)
  return untilDatabaseIsBack(leaseMs(world), () => recordAnswer(world, attempt, authorization, visitor))
}

async function recordAnswer(
  world: World,
  attempt: Attempt,
  authorization: Authorization | Failure,
  visitor: Visitor,
): Promise<EnrollmentReply> {
  switch (authorization.outcome) {
    case 'approved': {
      const member_id = await admit(world, attempt, authorization)
      return member_id ? approved(world, { id: member_id, access_version: 0 }, visitor) : PENDING // nobody has signed in yet
    }
    case 'declined':
      await releaseAttempt(world, attempt, authorization.decline_class)
      return declined(authorization.decline_class)
    case 'failed':
      await releaseAttempt(world, attempt, 'abandoned')
      throw new Refusal(502, 'There was an error processing your payment. Please try again later.')
    default:
      await awaitGateway(world, attempt, authorization) // the janitor settles it; a second try could charge twice
      return PENDING
  }
}

/** Attempts that this process is working on. It only saves work; the database decides which request is first. */
const inProgress = new Set<string>()

/** Without a key, the caller continues the enrollment in their cookie: its last attempt, or the one after it. */
async function nextKey(world: World, { enrollment_id }: Visitor): Promise<AttemptKey> {
  if (!enrollment_id) return { enrollment_id: randomUUID(), attempt: 1 }
  const last = (await findAttempts(world.db, enrollment_id)).at(-1)
  return { enrollment_id, attempt: last ? last.attempt + (endedWithoutCharge(last) ? 1 : 0) : 1 }
}

/** The reply to an earlier request with this key. Once an enrollment has a member, every key gets "Approved". */
async function findPreviousReply(
  world: World,
  key: AttemptKey,
  visitor: Visitor,
): Promise<EnrollmentReply | undefined> {
  const { attempts, member } = await findProgress(world.db, key.enrollment_id)
  if (member) {
    const mayGetToken = visitor.enrollment_id === key.enrollment_id && hasJustJoined(world, member)
    return mayGetToken
      ? approved(world, member, visitor)
      : { payment: 'Approved', token: '', vo_url: world.config.OFFICE_URL }
  }
  const sameAttempt = attempts.find(({ attempt }) => attempt === key.attempt)
  if (sameAttempt?.state === 'declined') return declined(sameAttempt.decline_class)
  if (attempts.some(isOpen)) return PENDING
  if (sameAttempt || attempts.some(({ attempt }) => attempt > key.attempt))
    throw new Refusal(409, 'This payment attempt has ended, and you were not charged. Please try again.')
  return undefined
}

/** All attempts of an enrollment, oldest first, and the member that it led to. */
async function findProgress(db: Db, enrollment_id: string) {
  const attempts = await findAttempts(db, enrollment_id)
  const hasSucceeded = attempts.some((attempt) => !isOpen(attempt) && !endedWithoutCharge(attempt))
  return { attempts, member: hasSucceeded ? await memberOfEnrollment(db, enrollment_id) : undefined }
}

/** For a while after joining, the page that paid can still get a token for the office. */
const hasJustJoined = ({ now }: World, { welcome_until }: { welcome_until: Date | null }) =>
  welcome_until !== null && now() < welcome_until

const PENDING: EnrollmentReply = { payment: 'Pending', token: '', vo_url: '' }

async function approved(world: World, member: Access, { address }: Visitor): Promise<EnrollmentReply> {
  await recordEvent(world, { kind: 'grant_minted', member_id: member.id, address })
  return { payment: 'Approved', token: mintGrant(world, member), vo_url: world.config.OFFICE_URL }
}

const declined = (decline_class: string | null): EnrollmentReply => ({
  payment: 'Declined',
  token: '',
  vo_url: '',
  decline_class: decline_class === 'input' || decline_class === 'card' ? decline_class : 'bank', // never mention fraud
})

/** The state of an attempt, for a page that lost the reply. Changes and charges nothing. */
export async function enrollmentStatus(world: World, visitor: Visitor): Promise<EnrollmentStatus> {
  const key = visitor.key ?? (await nextKey(world, visitor))
  const lastAttempt = (await findAttempts(world.db, key.enrollment_id)).at(-1)?.attempt ?? 0
  const unusedAttempt = Math.max(key.attempt, lastAttempt + 1)
  const reply = await findPreviousReply(world, key, visitor).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error // a failed lookup must not be reported as "nothing was charged"
    return undefined
  })
  switch (reply?.payment ?? (inProgress.has(referenceOf(key)) ? 'Pending' : 'None')) {
    case 'Approved':
      return { state: 'approved', attempt: key.attempt, reply }
    case 'Pending':
      return { state: 'running', attempt: key.attempt, reply }
    case 'Declined':
      return { state: 'declined', attempt: unusedAttempt, reply }
    default:
      return { state: 'none', attempt: unusedAttempt }
  }
}

/**
 * How far an enrollment has come when a page is opened. It is over when its member has signed out: the next enrollment in
 * this browser is another person's.
 */
export async function enrollmentPhase(world: World, enrollment_id: string): Promise<Phase> {
  const nothing = { attempts: [], member: undefined }
  const { attempts, member } = await findProgress(world.db, enrollment_id).catch(() => nothing)
  if (!member) return { phase: attempts.every(endedWithoutCharge) ? 'open' : 'paying' }
  return member.welcome_until ? { phase: 'joined', username: member.username } : { phase: 'over' }
}
export type Phase = { phase: 'open' | 'paying' | 'over' } | { phase: 'joined'; username: string }

/** Where a browser that has joined opens the office: signed in at once for a while after joining. */
export async function officeUrlFor(
  world: World,
  { enrollment_id, address }: Pick<Visitor, 'enrollment_id' | 'address'>,
): Promise<string> {
  const { member } = enrollment_id ? await findProgress(world.db, enrollment_id) : { member: undefined }
  const { OFFICE_URL } = world.config
  if (!member || !hasJustJoined(world, member)) return OFFICE_URL
  await recordEvent(world, { kind: 'grant_minted', member_id: member.id, address })
  return officeAddress(OFFICE_URL, mintGrant(world, member))
}
