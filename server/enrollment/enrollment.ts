import { randomUUID } from 'node:crypto'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { recheckBeforeCharge, withinCardLimits } from '#server/abuse/card-limits.ts'
import { mintGrant } from '#server/office/grant.ts'
import {
  authorize,
  awaitGateway,
  endedWithoutCharge,
  findAttempts,
  isOpen,
  referenceOf,
  releaseAttempt,
} from '#server/payments/payments.ts'
import { Refusal } from '#server/refusal.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import type { World } from '#server/world.ts'
import { admit } from './admission.ts'
import { reserve, type ScreenedOrder } from './reservation.ts'
import { screenOrder } from './screening.ts'
import type { AttemptKey, PaymentRequest, Visitor } from './visitor.ts'

/** From a filled form to a member with a key to the office. Money waits until the member exists: mind the order. */
export async function enroll(world: World, order: Enrollment, visitor: Visitor): Promise<EnrollmentReply> {
  const key = visitor.key ?? (await nextKey(world, visitor))
  const reference = referenceOf(key)
  const isUnderWay = () => underWay.has(reference)
  if (isUnderWay()) return PENDING // sent many times at once: the first one pays, and the others do not stand in its way
  const known = await recall(world, key, visitor)
  if (known) return known // a repeated key costs nothing
  if (isUnderWay()) return PENDING
  underWay.add(reference)
  try {
    const press = { order, key, visitor }
    const screened = await screenOrder(world, press) // everything cheap, before anything dear
    return await withinCardLimits(world, press, () => charge(world, press, screened))
  } finally {
    underWay.delete(reference)
  }
}

/** Keys that this process is working on. It only saves work: who is first is decided by the database. */
const underWay = new Set<string>()

async function charge(world: World, press: PaymentRequest, screened: ScreenedOrder): Promise<EnrollmentReply> {
  const { order, key, visitor } = press
  const password_hash = await hashPassword(order.password, world.config)
  await recheckBeforeCharge(world, press) // a breaker may have tripped while this one waited
  const attempt = await reserve(world, key, screened, password_hash) // username and email are ours from here
  if (!attempt) return PENDING // another request of this enrollment was faster
  if (!visitor.cookie) visitor.setEnrollmentCookie(key.enrollment_id, screened.touches)

  const hold = await authorize(world, attempt, order) // written down before the call is made
  switch (hold.outcome) {
    case 'approved': {
      const member_id = await admit(world, attempt, hold)
      return member_id ? welcome(world, member_id) : PENDING
    }
    case 'declined':
      await releaseAttempt(world, attempt, hold.decline_class)
      return declined(hold.decline_class)
    case 'failed':
      await releaseAttempt(world, attempt, 'abandoned')
      throw new Refusal(502, 'There was an error processing your payment. Please try again later.')
    default:
      await awaitGateway(world, attempt, hold) // settled by the janitor; never "try again"
      return PENDING
  }
}

const declined = (why: string | null): EnrollmentReply => ({
  payment: 'Declined',
  token: '',
  vo_url: '',
  decline_class: why === 'input' || why === 'card' ? why : 'bank', // suspected of fraud, one is sent to the bank as well
})
const PENDING: EnrollmentReply = { payment: 'Pending', token: '', vo_url: '' }

const welcome = (world: World, member_id: string): EnrollmentReply => ({
  payment: 'Approved',
  token: mintGrant(world, member_id),
  vo_url: world.config.OFFICE_URL,
})

/** What became of an attempt, without asking for anything: the page calls it when an answer was lost. */
export async function enrollmentStatus(world: World, visitor: Visitor): Promise<EnrollmentStatus> {
  const key = visitor.key ?? (await nextKey(world, visitor))
  const { attempts } = await findAttempts(world.db, key.enrollment_id)
  const unused = Math.max(key.attempt, (attempts.at(-1)?.attempt ?? 0) + 1)
  const reply = await recall(world, key, visitor).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error // not being able to look is not "nothing was charged"
    return undefined
  })
  switch (reply?.payment ?? (underWay.has(referenceOf(key)) ? 'Pending' : 'None')) {
    case 'Approved':
      return { state: 'approved', attempt: key.attempt, reply }
    case 'Pending':
      return { state: 'running', attempt: key.attempt, reply }
    case 'Declined':
      return { state: 'declined', attempt: unused, reply }
    default:
      return { state: 'none', attempt: unused }
  }
}

/** A caller without a key goes on with the cookie's enrollment: its newest attempt, or the one after it. */
async function nextKey(world: World, { cookie }: Visitor): Promise<AttemptKey> {
  if (!cookie) return { enrollment_id: randomUUID(), attempt: 1 }
  const newest = (await findAttempts(world.db, cookie)).attempts.at(-1)
  return { enrollment_id: cookie, attempt: newest ? newest.attempt + (endedWithoutCharge(newest) ? 1 : 0) : 1 }
}

/** Whether the page that paid may still hand out keys. */
const isWelcome = ({ now }: World, { welcome_until }: { welcome_until: Date | null }) =>
  welcome_until !== null && now() < welcome_until

/** The answer that this key has had before. An enrollment that succeeded answers every key with its approval. */
async function recall(world: World, key: AttemptKey, visitor: Visitor): Promise<EnrollmentReply | undefined> {
  const { member, attempts } = await findAttempts(world.db, key.enrollment_id)
  if (member) {
    const stillHere = visitor.cookie === key.enrollment_id && isWelcome(world, member)
    return stillHere ? welcome(world, member.id) : { payment: 'Approved', token: '', vo_url: world.config.OFFICE_URL }
  }
  const same = attempts.find(({ attempt }) => attempt === key.attempt)
  if (same?.state === 'declined') return declined(same.decline_class)
  if (attempts.some(isOpen)) return PENDING
  if (same || attempts.some(({ attempt }) => attempt > key.attempt))
    throw new Refusal(409, 'This attempt ended, and nothing was charged. Please try again.')
  return undefined
}

/**
 * How an enrollment stands when a page is opened. Over: it has led to a member who was here long ago, has signed out, or now
 * opens a link that is not their own way in; the next one in this browser is somebody else.
 */
export async function enrollmentStanding(world: World, enrollment_id: string, isNewLink: boolean): Promise<Standing> {
  const none = { attempts: [], member: undefined }
  const { attempts, member } = await findAttempts(world.db, enrollment_id).catch(() => none)
  if (!member) return attempts.every(endedWithoutCharge) ? 'free' : 'joining'
  return isNewLink || !isWelcome(world, member) ? 'over' : 'joined'
}
type Standing = 'free' | 'joining' | 'joined' | 'over'
