import { figures } from '#contract/figures.ts'
import { isInDoubt, noteConfirmed, noteMessage, secondsOpen } from '#server/abuse/breaker.ts'
import {
  type Asked as Counted,
  countRefusal,
  giveBackOne,
  isSpent,
  type LimitName,
  spend,
  spendAll,
  waitInWords,
} from '#server/abuse/limits.ts'
import { findSpent, takeTurn } from '#server/db/spent.ts'
import { networkOf, type Visitor } from '#server/enrollment/visitor.ts'
import type { Sending } from '#server/gateways/sms/port.ts'
import { Refusal, refuseAlone } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { countryOf, isPossible } from './numbers.ts'

/** What the spec's phone calls answer: 1 is success. */
type PhoneReply = { status: 0 | 1; message: string }

const said = {
  sent: { status: 1, message: 'Verification code has been successfully sent to your phone.' },
  impossible: { status: 0, message: 'Invalid mobile phone number format.' },
  unreachable: {
    status: 0,
    message: 'This number cannot receive text messages. Try a call instead, or another number.',
  },
  too_often: {
    status: 0,
    message: 'Too many codes were asked for with this number. Please wait 10 minutes and try again.',
  },
  blocked: { status: 0, message: 'Codes cannot be sent to this number. Please use another number.' },
  elsewhere: { status: 0, message: 'Codes cannot be sent to this country. Please use another number.' },
  unsent: { status: 0, message: 'Error sending verification code' },
  right: { status: 1, message: 'Your phone number has been successfully verified.' },
  wrong: { status: 0, message: 'That is not the code we sent. Please check it and try again.' },
  gone: { status: 0, message: 'This code is no longer good. Please ask for a new one.' },
  unchecked: { status: 0, message: 'An error occurred while verifying the code.' },
} as const satisfies Record<string, PhoneReply>

type Asked = { mobile_phone: string; channel: 'sms' | 'call'; captcha: string | undefined }

/** Sends a code, unless the last one is younger than the countdown that the page shows. Every message costs money. */
export async function sendCode(
  world: World,
  { mobile_phone, channel, captcha }: Asked,
  visitor: Visitor,
  enrollment_id: string,
): Promise<PhoneReply> {
  if (!(await isPossible(mobile_phone))) return said.impossible
  if (!world.config.PHONE_COUNTRIES.includes(await countryOf(mobile_phone))) {
    countRefusal('PHONE_COUNTRIES')
    return said.elsewhere
  }
  await refuseUnasked(world, visitor)
  const trickle = await trickleOf(world, visitor)
  await requireHuman(world, enrollment_id, captcha, visitor)
  await refuseTooSoon(world, enrollment_id, mobile_phone)
  let sending: Sending | undefined
  const { giveBack } = await spendAll(world, [
    ['LIMIT_CODES_BY_ADDRESS', visitor.address],
    ['LIMIT_CODES_BY_ENROLLMENT', enrollment_id],
    ['LIMIT_CODES_BY_NUMBER', mobile_phone],
    ['LIMIT_CODES_BY_BLOCK', mobile_phone.slice(0, -4)], // ten thousand neighbours, rented together
    ['LIMIT_CODES', 'all'],
    ...trickle,
  ]).catch(async (error: unknown) => {
    await mayTryAtOnce(world, mobile_phone)
    throw error
  })
  try {
    sending = await world.sms.send(mobile_phone, channel)
  } finally {
    if (sending !== 'sent') await mayTryAtOnce(world, mobile_phone)
    if (sending !== 'sent' && sending !== 'unknown') await giveBack({ names: PER_MESSAGE })
  }
  if (sending === 'sent' || sending === 'unknown') await expectCode(world, enrollment_id, mobile_phone)
  if (sending === 'sent') await orLog(world, noteMessage(world, networkOf(visitor)))
  return said[sending === 'unknown' ? 'unsent' : sending]
}

/** What counts messages, and none was sent. Who asked has asked all the same: to try numbers on the vendor is somebody's business too. */
const PER_MESSAGE: LimitName[] = ['LIMIT_CODES_BY_NUMBER', 'LIMIT_CODES_BY_BLOCK', 'LIMIT_CODES', 'BREAKER_CODES']

const mayTryAtOnce = ({ db }: World, mobile_phone: string) =>
  db.deleteFrom('spent').where('kind', '=', 'code').where('key', '=', mobile_phone).execute()

/** A code is on its way, or may be: the vendor's answer can be lost when its message is not. */
async function expectCode(world: World, enrollment_id: string, mobile_phone: string) {
  await forgetOtherNumbers(world, enrollment_id, mobile_phone)
  await world.db
    .insertInto('phone_check')
    .values({ enrollment_id, mobile_phone, sends: 1, sent_at: world.now(), verified_at: null })
    .onConflict((clash) =>
      clash
        .columns(['enrollment_id', 'mobile_phone'])
        .doUpdateSet((row) => ({ sends: row('phone_check.sends', '+', 1), sent_at: world.now() })),
    )
    .execute()
}

/** A code belongs to one number: asking for another one voids what was sent before. */
const forgetOtherNumbers = ({ db }: World, enrollment_id: string, mobile_phone: string) =>
  db
    .deleteFrom('phone_check')
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '!=', mobile_phone)
    .execute()

const HOUR = 3600

/** Where no card waits for a code, a message would be somebody's business with its price. Who was asked just now may still get it. */
async function refuseUnasked(world: World, visitor: Visitor) {
  if (world.config.PHONE_VERIFICATION || (await isInDoubt(world, networkOf(visitor), HOUR))) return
  countRefusal('PHONE_VERIFICATION')
  throw new Refusal(409, 'No code is needed at the moment. Please go on without one.')
}

/** Codes that nobody confirms are such a business, too. While they are, few are sent: who did nothing shall not stand before a closed door. */
async function trickleOf(world: World, visitor: Visitor): Promise<Counted[]> {
  const retryAfter = await secondsOpen(world, 'codes')
  if (!retryAfter) return []
  const trickle = trickleFor(visitor)
  const spent = await Promise.all(trickle.map((counted) => isSpent(world, counted)))
  if (!spent.includes(true)) return trickle
  countRefusal('BREAKER_CODES')
  const sentence = `Codes cannot be sent at the moment. Please wait ${waitInWords(retryAfter)} and try again.`
  throw new Refusal(429, sentence, { retryAfter })
}

const trickleFor = (visitor: Visitor): Counted[] => [
  ['BREAKER_CODES', 'all'],
  ['BREAKER_CODES_BY_NETWORK', networkOf(visitor)],
]

/** Before the first message of an enrollment, and before no other. To look at a solution may cost a question to another company. */
async function requireHuman(world: World, enrollment_id: string, solution: string | undefined, { address }: Visitor) {
  const earlier = await world.db
    .selectFrom('phone_check')
    .select('mobile_phone')
    .where('enrollment_id', '=', enrollment_id)
    .executeTakeFirst()
  if (earlier) return
  await spend(world, 'LIMIT_CHALLENGES', address)
  if (await world.captcha.verify(solution ?? '', `code ${enrollment_id}`)) return
  throw refuseAlone('captcha', 'Please confirm the captcha.')
}

/**
 * One code at a time for a number: the statement that looks at the clock is the one that moves it on. Who was sent the last
 * one, and can still use it, hears the countdown; anybody else, how long to wait.
 */
async function refuseTooSoon(world: World, enrollment_id: string, mobile_phone: string) {
  const { db, now } = world
  const moment = now()
  const expires_at = new Date(moment.getTime() + figures.resend_seconds * 1000)
  if (await takeTurn(db, moment, { kind: 'code', key: mobile_phone, expires_at })) return
  const last = await findSpent(db, 'code', mobile_phone)
  const left = Math.max(1, Math.ceil(((last?.expires_at ?? moment).getTime() - moment.getTime()) / 1000))
  const isSent = await findCheck(world, enrollment_id, mobile_phone)
  const sentence = isSent
    ? `Resend code in ${left} seconds`
    : `Please wait ${left} seconds and ask for a new code then.`
  throw new Refusal(429, sentence, { retryAfter: left, ...(isSent ? { fields: { code: [sentence] } } : {}) })
}

type Typed = { mobile_phone: string; code: string }

/** A code counts as wrong until it is right, so that many at once cannot outrun the limit. */
export async function verifyCode(
  world: World,
  typed: Typed,
  visitor: Visitor,
  enrollment_id: string,
): Promise<PhoneReply> {
  const { giveBack } = await spend(world, 'LIMIT_CODE_CHECKS', visitor.address)
  const reply = await confirm(world, typed, visitor, enrollment_id)
  if (reply === said.right) await orLog(world, giveBack())
  return reply
}

/** A right code confirms this number for this enrollment, and only once; it stays confirmed. */
async function confirm(
  world: World,
  { mobile_phone, code }: Typed,
  visitor: Visitor,
  enrollment_id: string,
): Promise<PhoneReply> {
  const asked = await findCheck(world, enrollment_id, mobile_phone) // by this visitor, and not before the number changed
  if (isConfirmed(asked)) return said.right // it was, and whoever asks again did not hear it
  const checked = asked ? await world.sms.check(mobile_phone, code) : 'gone'
  if (checked === 'unknown') return said.unchecked
  if (checked === 'gone' && isConfirmed(await findCheck(world, enrollment_id, mobile_phone))) return said.right // meanwhile
  if (checked !== 'right') return said[checked]
  const now = world.now()
  await world.db
    .updateTable('phone_check')
    .set({ verified_at: now, sends: 0 }) // so that the next code forgives none but its own messages
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '=', mobile_phone)
    .execute()
  if (asked) {
    await orLog(world, noteConfirmed(world, networkOf(visitor), asked))
    await orLog(world, giveBackTrickle(world, visitor, asked))
  }
  await orLog(world, giveBackOne(world, ['LIMIT_CODES_BY_ADDRESS', visitor.address])) // which counts failures; this was none
  return said.right
}

/** One of the few makes room for another. */
async function giveBackTrickle(world: World, visitor: Visitor, { sent_at }: { sent_at: Date }) {
  if (!(await secondsOpen(world, 'codes', sent_at))) return
  for (const counted of trickleFor(visitor)) await giveBackOne(world, counted)
}

/** A code is used up by now: what is only counted must not take it from the visitor. */
const orLog = (world: World, counting: Promise<unknown>) =>
  counting.catch((err: unknown) => world.log.error({ err }, 'a code could not be counted'))

/** Whether this very number was confirmed, for the enrollment or by the visitor: two tabs may have one each, and share the cookie. */
export async function isVerified(
  { db }: World,
  mobile_phone: string,
  { enrollment_id, cookie = enrollment_id }: { enrollment_id: string; cookie: string | undefined },
): Promise<boolean> {
  const found = await db
    .selectFrom('phone_check')
    .select('verified_at')
    .where('enrollment_id', 'in', [enrollment_id, cookie])
    .where('mobile_phone', '=', mobile_phone)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

/** And no code was sent since. */
const isConfirmed = (check: { verified_at: Date | null; sends: number } | undefined) =>
  check !== undefined && check.verified_at !== null && check.sends === 0

const findCheck = ({ db }: World, enrollment_id: string, mobile_phone: string) =>
  db
    .selectFrom('phone_check')
    .select(['sent_at', 'sends', 'verified_at'])
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '=', mobile_phone)
    .executeTakeFirst()
