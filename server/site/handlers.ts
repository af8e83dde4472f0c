import { randomUUID } from 'node:crypto'
import type { calls, LegalDocument } from '#contract/api.ts'
import type { messageCalls } from '#contract/message-calls.ts'
import { toAmount } from '#contract/money.ts'
import { countAgainstLimit, isWithinLimit } from '#server/abuse/limits.ts'
import { refuseBlocked, refuseNewcomers } from '#server/abuse/restrictions.ts'
import { findDocuments, priceOrder, totalOf } from '#server/catalog/catalog.ts'
import { enroll, enrollmentStatus } from '#server/enrollment/enrollment.ts'
import { usernameAvailability } from '#server/enrollment/username-suggestions.ts'
import { countFields, countStep } from '#server/funnel/funnel.ts'
import { recordMessages } from '#server/funnel/messages.ts'
import { emptyReply, type Handlers } from '#server/http/handlers.ts'
import { availability } from '#server/members/claims.ts'
import { toDialable } from '#server/phone/numbers.ts'
import { sendCode, verifyCode, withStatusZero } from '#server/phone/phone.ts'
import { Refusal } from '#server/refusal.ts'
import { shownPackages } from '#server/sponsors/landing.ts'
import { recordPageHit } from '#server/sponsors/page-hits.ts'
import { findSponsor } from '#server/sponsors/sponsors.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import { lastKnown } from '#server/world/last-known.ts'
import type { World } from '#server/world/world.ts'

const knownDocuments = lastKnown<LegalDocument[]>(1)

export const handlers: Handlers<typeof calls, Visitor> = {
  getPackages: shownPackages,
  getLegalDocuments: (world) => knownDocuments(world, '', () => findDocuments(world.db)),
  sumOrder: async (world, order) => ({ grand_total: toAmount(totalOf(await priceOrder(world, order))) }),
  getSponsor: (world, { sponsor_site }) => findSponsor(world, sponsor_site),

  async validateEmail(world, { email }, visitor) {
    await refuseBlocked(world, visitor)
    await countAgainstLimit(world, 'LIMIT_LOOKUPS', visitor.address)
    countStep(world, 'details', visitor)
    return { email: await availability(world.db, 'email', email, visitor.enrollment_id) }
  },
  async validateUsername(world, { username }, visitor) {
    await refuseBlocked(world, visitor)
    await countAgainstLimit(world, 'LIMIT_LOOKUPS', visitor.address)
    countStep(world, 'details', visitor)
    return usernameAvailability(world, username, visitor.enrollment_id)
  },

  addEnrollment: async (world, order, visitor) => {
    countStep(world, 'pay', visitor)
    const dialable = { ...order, mobile_phone: await toDialable(order.mobile_phone) }
    const reply = await enroll(world, dialable, visitor).catch((error: unknown) => {
      if (error instanceof Refusal) countFields(world, Object.keys(error.details.fields ?? {}))
      throw error
    })
    if (reply.payment === 'Approved') countStep(world, 'joined', visitor)
    return reply
  },
  getStatus: (world, _input, visitor) => enrollmentStatus(world, visitor),

  async sendVerificationCode(world, { phone_number, captcha }, visitor) {
    const request = { mobile_phone: await toDialable(phone_number), channel: 'sms', captcha } as const
    return withStatusZero(sendCodeUnlessClosed(world, request, visitor))
  },
  async verifyCode(world, { phone_number, code }, visitor) {
    const attempt = { mobile_phone: await toDialable(phone_number), code }
    return withStatusZero(
      refuseBlocked(world, visitor).then(() => verifyCode(world, attempt, visitor, enrollmentOf(visitor))),
    )
  },
  async verifyCall(world, { cellphone, captcha }, visitor) {
    const request = { mobile_phone: await toDialable(cellphone), channel: 'call', captcha } as const
    const { status, ...reply } = await withStatusZero(sendCodeUnlessClosed(world, request, visitor))
    return { success: status === 1, ...reply }
  },

  hitPage: emptyReply(async (world, input, visitor) => void (await recordPageHit(world, input, visitor))),
  async getChallenge(world, _input, visitor) {
    await countAgainstLimit(world, 'LIMIT_CHALLENGES', visitor.address)
    return world.captcha.challenge()
  },
}

/** Beyond the limit nothing is counted, and nobody is refused anything. */
export const messageHandlers: Handlers<typeof messageCalls, Visitor> = {
  async reportMessages(world, { messages }, visitor) {
    if (await isWithinLimit(world, 'LIMIT_MESSAGES', visitor.address)) recordMessages(world, messages, visitor)
    return {}
  },
}

/** Doesn't send a code to someone who can't join. */
async function sendCodeUnlessClosed(world: World, request: Parameters<typeof sendCode>[1], visitor: Visitor) {
  await refuseNewcomers(world, visitor)
  countStep(world, 'code', visitor)
  return sendCode(world, request, visitor, enrollmentOf(visitor))
}

/** The visitor's enrollment, or a new one. */
const enrollmentOf = (visitor: Visitor): string => {
  const known = visitor.enrollment_id ?? visitor.key?.enrollment_id
  if (known) return known
  const enrollment_id = randomUUID()
  visitor.setEnrollmentCookie(enrollment_id, [])
  return enrollment_id
}
