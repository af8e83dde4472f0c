import { sql } from 'kysely'
import { isPossiblePhoneNumber } from 'libphonenumber-js/max'
import { limits } from '#contract/limits.ts'
import { refuseIfSpent, spend } from './limits.ts'
import { Refusal } from './refusal.ts'
import type { Visitor } from './visitor.ts'
import type { World } from './world.ts'

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
  unsent: { status: 0, message: 'Error sending verification code' },
  right: { status: 1, message: 'Your phone number has been successfully verified.' },
  wrong: { status: 0, message: 'That is not the code we sent. Please check it and try again.' },
  gone: { status: 0, message: 'This code is no longer good. Please ask for a new one.' },
  unchecked: { status: 0, message: 'An error occurred while verifying the code.' },
} as const satisfies Record<string, PhoneReply>

/** Sends a code, unless the last one is younger than the countdown that the page shows. */
export async function sendCode(
  world: World,
  mobile_phone: string,
  channel: 'sms' | 'call',
  visitor: Visitor,
  enrollment_id: string,
): Promise<PhoneReply> {
  if (!isPossiblePhoneNumber(mobile_phone)) return said.impossible
  await spend(world, 'LIMIT_CODES_BY_ADDRESS', visitor.address)
  await spend(world, 'LIMIT_CODES_BY_NUMBER', mobile_phone)
  await takeTurn(world, mobile_phone)
  const sending = await world.sms.send(mobile_phone, channel)
  if (sending !== 'sent') {
    await world.db.deleteFrom('spent').where('kind', '=', 'code').where('key', '=', mobile_phone).execute() // try again at once
    return said[sending === 'unknown' ? 'unsent' : sending]
  }
  await world.db
    .insertInto('phone_check')
    .values({ enrollment_id, mobile_phone, sends: 1, sent_at: world.now(), verified_at: null })
    .onConflict((clash) =>
      clash
        .columns(['enrollment_id', 'mobile_phone'])
        .doUpdateSet((row) => ({ sends: row('phone_check.sends', '+', 1), sent_at: world.now() })),
    )
    .execute()
  return said.sent
}

/** One code at a time for a number: the statement that looks at the clock is the one that moves it on. */
async function takeTurn({ db, now }: World, mobile_phone: string) {
  const moment = now()
  const next = new Date(moment.getTime() + limits.resend_seconds * 1000)
  const taken = await sql`
    insert into spent (kind, key, expires_at) values ('code', ${mobile_phone}, ${next})
    on conflict (kind, key) do update set expires_at = excluded.expires_at where spent.expires_at <= ${moment}
    returning key`.execute(db)
  if (taken.rows.length) return
  const last = await db
    .selectFrom('spent')
    .select('expires_at')
    .where('kind', '=', 'code')
    .where('key', '=', mobile_phone)
    .executeTakeFirst()
  const left = Math.max(1, Math.ceil(((last?.expires_at ?? moment).getTime() - moment.getTime()) / 1000))
  throw new Refusal(429, `Resend code in ${left} seconds`, { retryAfter: left })
}

/** A right code confirms this number for this enrollment, and only once. */
export async function verifyCode(
  world: World,
  mobile_phone: string,
  code: string,
  visitor: Visitor,
  enrollment_id: string,
): Promise<PhoneReply> {
  await refuseIfSpent(world, 'LIMIT_CODE_CHECKS', visitor.address)
  const checked = await world.sms.check(mobile_phone, code)
  if (checked === 'unknown') return said.unchecked
  if (checked !== 'right') {
    await spend(world, 'LIMIT_CODE_CHECKS', visitor.address)
    return said[checked]
  }
  const now = world.now()
  await world.db
    .insertInto('phone_check')
    .values({ enrollment_id, mobile_phone, sends: 0, sent_at: now, verified_at: now })
    .onConflict((clash) => clash.columns(['enrollment_id', 'mobile_phone']).doUpdateSet({ verified_at: now }))
    .execute()
  return said.right
}

/** Whether this enrollment has confirmed this very number. */
export async function isVerified(world: World, enrollment_id: string, mobile_phone: string): Promise<boolean> {
  const found = await world.db
    .selectFrom('phone_check')
    .select('verified_at')
    .where('enrollment_id', '=', enrollment_id)
    .where('mobile_phone', '=', mobile_phone)
    .executeTakeFirst()
  return Boolean(found?.verified_at)
}
