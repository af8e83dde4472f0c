import { figures } from '#contract/figures.ts'
import { recordCodeConfirmed, recordCodeSent, requiresPhoneCode, secondsOpen } from '#server/abuse/breaker.ts'
import {
  countAgainstLimit,
  countAgainstLimits,
  countRefusal,
  formatWait,
  isLimitReached,
  type LimitName,
  type LimitUse,
  undoOneUse,
  whenToRetry,
} from '#server/abuse/limits.ts'
import type { Client } from '#server/client.ts'
import { networkOf } from '#server/client.ts'
import { acquireLease, leaseExpiry, releaseLease } from '#server/db/leases.ts'
import type { Said, SendResult } from '#server/gateways/sms/port.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { elsewhereMessage, isCodeCountry, numberFrom } from './countries.ts'
import { isPossible, storedNumber } from './numbers.ts'

/** The reply of the spec's phone calls: status 1 is success. */
type PhoneReply = { status: 0 | 1; message: string; code_needed?: boolean }

const replies = {
  sent: { status: 1, message: 'Verification code has been successfully sent to your phone.' },
  calling: { status: 1, message: 'We’re calling your phone now. The call reads out a code.' },
  not_needed: {
    status: 0,
    message: 'No code is needed right now. You can continue without one.',
    code_needed: false,
  },
  impossible: { status: 0, message: 'Invalid mobile phone number format.' },
  unreachable: { status: 0, message: 'This number can’t receive our codes. Please use another number.' },
  no_text_messages: {
    status: 0,
    message: 'This number can’t receive text messages. Please try a call instead, or use another number.',
  },
  too_often: {
    status: 0,
    message: 'Too many codes were requested for this number. Please try again in 10 minutes.',
  },
  blocked: { status: 0, message: 'We can’t send codes to this number. Please use another number.' },
  unsent: { status: 0, message: 'Error sending verification code' },
  right: { status: 1, message: 'Your phone number has been successfully verified.' },
  wrong: { status: 0, message: 'This code is incorrect. Please check it and try again.' },
  gone: { status: 0, message: 'This code has expired. Please request a new one.' },
  unchecked: { status: 0, message: 'An error occurred while verifying the code.' },
} as const satisfies Record<string, PhoneReply>

const replyTo = (result: keyof typeof replies | Said): PhoneReply =>
  typeof result === 'object' ? { status: 0, message: result.says } : replies[result]

type CodeRequest = { mobile_phone: string; channel: 'sms' | 'call'; captcha: string | undefined }

/** Every message costs money, so there are many reasons to refuse one. */
export async function sendCode(
  world: World,
  { mobile_phone, channel, captcha }: CodeRequest,
  visitor: Client,
  enrollment_id: string,
): Promise<PhoneReply> {
  if (!(await isPossible(mobile_phone))) return replies.impossible
  const isSupported = await isCodeCountry(world.config, mobile_phone)
  if (!(await isCodeNeeded(world, visitor, isSupported ? HOUR : 0))) {
    countRefusal('PHONE_VERIFICATION')
    return replies.not_needed
  }
  if (!isSupported) {
    countRefusal('PHONE_COUNTRIES')
    return { status: 0, message: await unsupportedMessage(world) }
  }
  const reducedQuota = await reducedQuotaUses(world, visitor)
  await requireHuman(world, enrollment_id, captcha, visitor)
  const sending = await deliverCode(world, { mobile_phone, channel }, visitor, enrollment_id, reducedQuota)
  if (sending === 'sent' && channel === 'call') return replies.calling
  if (sending === 'unreachable' && channel === 'sms' && offersCalls(world)) return replies.no_text_messages
  return replyTo(sending === 'unknown' ? 'unsent' : sending)
}

/** Whether members confirm a new number with a code: always with a real gateway, which the operator has for that. */
export const areCodesSent = ({ sms, config }: Pick<World, 'sms' | 'config'>) =>
  sms.name !== 'sandbox' || config.PHONE_VERIFICATION

/** For a member who has given the password: no captcha, but the limits of all codes. Returns why not, if none was sent. */
export async function sendCodeToMember(
  world: World,
  mobile_phone: string,
  visitor: Client,
  enrollment_id: string,
): Promise<string | undefined> {
  if (!(await isCodeCountry(world.config, mobile_phone))) return elsewhereMessage(world.config)
  const reducedQuota = await reducedQuotaUses(world, visitor)
  const code = { mobile_phone, channel: 'sms' as const }
  const sending = await deliverCode(world, code, visitor, enrollment_id, reducedQuota)
  if (sending === 'unknown') throw new Refusal(503, 'We couldn’t send a code. Please try again in a moment.')
  return sending === 'sent' ? undefined : replyTo(sending).message
}

async function deliverCode(
  world: World,
  { mobile_phone, channel }: Pick<CodeRequest, 'mobile_phone' | 'channel'>,
  visitor: Client,
  enrollment_id: string,
  reducedQuota: LimitUse[],
): Promise<SendResult | Said> {
  await refuseTooSoon(world, enrollment_id, mobile_phone)
  let sending: SendResult | Said | undefined
  const { giveBack } = await countAgainstLimits(world, [
    ['LIMIT_CODES_BY_ADDRESS', visitor.address],
    ['LIMIT_CODES_BY_ENROLLMENT', enrollment_id],
    ['LIMIT_CODES_BY_NUMBER', mobile_phone],
    ['LIMIT_CODES_BY_BLOCK', mobile_phone.slice(0, -4)], // blocks of ten thousand numbers are rented together
    ['LIMIT_CODES', 'all'],
    ...reducedQuota,
  ]).catch(async (error: unknown) => {
    await releaseLease(world.db, 'code', storedNumber(world, mobile_phone))
    throw error
  })
  try {
    sending = await world.sms.send(mobile_phone, channel)
  } finally {
    if (sending !== 'sent') await releaseLease(world.db, 'code', storedNumber(world, mobile_phone))
    if (sending !== 'sent' && sending !== 'unknown') await giveBack({ names: PER_MESSAGE })
  }
  if (sending === 'sent' || sending === 'unknown') await expectCode(world, enrollment_id, mobile_phone)
  if (sending === 'sent') await logFailure(world, recordCodeSent(world, networkOf(visitor)))
  return sending
}

const offersCalls = ({ config }: World) => config.PHONE_VERIFICATION && config.VOICE_CALL

/** Undone if no message was sent. The limits by address and enrollment stay counted, so that a visitor cannot probe numbers at the vendor. */
const PER_MESSAGE: LimitName[] = ['LIMIT_CODES_BY_NUMBER', 'LIMIT_CODES_BY_BLOCK', 'LIMIT_CODES', 'BREAKER_CODES']

/** Also after an unknown result: the vendor may have sent the message although its reply was lost. */
async function expectCode(world: World, enrollment_id: string, mobile_phone: string) {
  await forgetOtherNumbers(world, enrollment_id, mobile_phone)
  await world.db
    .insertInto('phone_check')
    .values({
      enrollment_id,
      mobile_phone: storedNumber(world, mobile_phone),
      sends: 1,
      sent_at: world.now(),
      verified_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['enrollment_id', 'mobile_phone'])
        .doUpdateSet((row) => ({ sends: row('phone_check.sends', '+', 1), sent_at: world.now() })),
    )
    .execute()
}

/** A code belongs to one number: requesting one for another number voids it. */
const forgetOtherNumbers = (world: World, enrollment_id: string, mobile_phone: string) =>
  world.db
    .deleteFrom('phone_check')
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '!=', storedNumber(world, mobile_phone))
    .execute()

const HOUR = 3600

/** A code that no payment needs suggests SMS pumping. A visitor who was asked to confirm within the last hour may still get one. */
const isCodeNeeded = async (world: World, visitor: Client, grace: number): Promise<boolean> =>
  world.config.PHONE_VERIFICATION || requiresPhoneCode(world, networkOf(visitor), grace)

/** What an order lacks while its card needs a code: the code, and another number if this one cannot get any. */
export async function missingCode(world: World, mobile_phone: string): Promise<Record<string, string>> {
  const code = 'Please confirm your phone number with the code we send you.'
  if (await isCodeCountry(world.config, mobile_phone)) return { code }
  return { code, mobile_phone: await unsupportedMessage(world) }
}

/** While only a breaker requires codes, waiting is a way on, too. A network's own declines count for a day. */
async function unsupportedMessage(world: World): Promise<string> {
  const { config } = world
  if (config.PHONE_VERIFICATION) return elsewhereMessage(config)
  const end = whenToRetry((await secondsOpen(world, 'declines')) ?? 24 * HOUR)
  return `Right now we confirm phone numbers with a code before we charge a card, and we can’t send one to this country. Please use ${numberFrom(config)}, or try again ${end}.`
}

/** Unconfirmed codes suggest SMS pumping. Keep sending a few, so that honest visitors are not locked out. */
async function reducedQuotaUses(world: World, visitor: Client): Promise<LimitUse[]> {
  const retryAfter = await secondsOpen(world, 'codes')
  if (!retryAfter) return []
  const uses = reducedQuotaOf(visitor)
  const isReached = await Promise.all(uses.map((use) => isLimitReached(world, use)))
  if (!isReached.includes(true)) return uses
  countRefusal('BREAKER_CODES')
  throw new Refusal(429, `We can’t send codes right now. Please try again ${whenToRetry(retryAfter)}.`, {
    retryAfter,
  })
}

const reducedQuotaOf = (visitor: Client): LimitUse[] => [
  ['BREAKER_CODES', 'all'],
  ['BREAKER_CODES_BY_NETWORK', networkOf(visitor)],
]

/** Only the first code of an enrollment needs a captcha. Checks count against a limit, because they may call a vendor. */
async function requireHuman(world: World, enrollment_id: string, solution: string | undefined, { address }: Client) {
  const earlier = await world.db
    .selectFrom('phone_check')
    .select('mobile_phone')
    .where('enrollment_id', '=', enrollment_id)
    .executeTakeFirst()
  if (earlier) return
  await countAgainstLimit(world, 'LIMIT_CHALLENGES', address)
  if (await world.captcha.verify(solution ?? '', `code ${enrollment_id}`)) return
  throw refuseField('captcha', 'Please confirm the captcha.')
}

/**
 * A lease on the number keeps concurrent requests from sending two codes. A visitor who has the last code sees the page's
 * countdown; other visitors are told how long to wait.
 */
async function refuseTooSoon(world: World, enrollment_id: string, mobile_phone: string) {
  const { db, now } = world
  const moment = now()
  const expires_at = new Date(moment.getTime() + figures.resend_seconds * 1000)
  if (await acquireLease(db, moment, { name: 'code', key: storedNumber(world, mobile_phone), expires_at })) return
  const expiry = (await leaseExpiry(db, 'code', storedNumber(world, mobile_phone))) ?? moment
  const retryAfter = Math.max(1, Math.ceil((expiry.getTime() - moment.getTime()) / 1000))
  const hasCode = await findCheck(world, enrollment_id, mobile_phone)
  const sentence = hasCode
    ? `Resend code in ${retryAfter} seconds`
    : `Please wait ${formatWait(retryAfter)} before you request a new code.`
  throw new Refusal(429, sentence, { retryAfter, ...(hasCode ? { fields: { code: [sentence] } } : {}) })
}

type CodeEntry = { mobile_phone: string; code: string }

/** Every check counts as a failure until it succeeds, so that concurrent checks cannot exceed the limit. */
export async function verifyCode(
  world: World,
  entry: CodeEntry,
  visitor: Client,
  enrollment_id: string,
): Promise<PhoneReply> {
  const { giveBack } = await countAgainstLimit(world, 'LIMIT_CODE_CHECKS', visitor.address)
  const reply = await confirm(world, entry, visitor, enrollment_id)
  if (reply === replies.right) await logFailure(world, giveBack())
  return reply
}

/** A correct code confirms this number for this enrollment. */
async function confirm(
  world: World,
  { mobile_phone, code }: CodeEntry,
  visitor: Client,
  enrollment_id: string,
): Promise<PhoneReply> {
  const check = await findCheck(world, enrollment_id, mobile_phone) // missing if another visitor requested the code, or the number changed
  if (isConfirmed(check)) return replies.right // a repeated request, whose first reply was lost
  const result = check ? await world.sms.check(mobile_phone, code) : 'gone'
  if (result === 'unknown') return replies.unchecked
  if (result === 'gone' && isConfirmed(await findCheck(world, enrollment_id, mobile_phone))) return replies.right // by a concurrent request
  if (result !== 'right') return replyTo(result)
  const now = world.now()
  await world.db
    .updateTable('phone_check')
    .set({ verified_at: now, sends: 0 }) // so that the next confirmation offsets only its own messages
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '=', storedNumber(world, mobile_phone))
    .execute()
  if (check) {
    await logFailure(world, recordCodeConfirmed(world, networkOf(visitor), check))
    await logFailure(world, giveBackReducedQuota(world, visitor, check))
  }
  await logFailure(world, undoOneUse(world, ['LIMIT_CODES_BY_ADDRESS', visitor.address])) // this limit counts failures only
  return replies.right
}

/** A confirmed code makes room for another one. */
async function giveBackReducedQuota(world: World, visitor: Client, { sent_at }: { sent_at: Date }) {
  if (!(await secondsOpen(world, 'codes', sent_at))) return
  for (const use of reducedQuotaOf(visitor)) await undoOneUse(world, use)
}

/** The code is already sent or used, so an error while counting must not fail the request. */
const logFailure = (world: World, counting: Promise<unknown>) =>
  counting.catch((err: unknown) => world.log.error({ err }, 'could not count a phone code'))

/** Confirmed, and no code was sent since. */
const isConfirmed = (check: { verified_at: Date | null; sends: number } | undefined) =>
  check !== undefined && check.verified_at !== null && check.sends === 0

const findCheck = (world: World, enrollment_id: string, mobile_phone: string) =>
  world.db
    .selectFrom('phone_check')
    .select(['sent_at', 'sends', 'verified_at'])
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '=', storedNumber(world, mobile_phone))
    .executeTakeFirst()

/** The spec's phone calls report failure as `status: 0`, so a refusal carries that too, and its dialog shows the message. */
export const withStatusZero = <Reply>(reply: Promise<Reply>): Promise<Reply> =>
  reply.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.status, error.message, { ...error.details, body: { status: 0, success: false } })
  })
