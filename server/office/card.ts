import { randomUUID } from 'node:crypto'
import { countCardUse } from '#server/abuse/card-limits.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import type { Card } from '#server/gateways/payment/port.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { requireDisplayedMember } from '#server/members/session.ts'
import { chargePastDue, rejectExpiredCard, replaceCard } from '#server/membership/card.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

type NewCard = Card & { username: string; captcha: string }

/** Replaces the card on file. Card testers would like this form, so it has the captcha and the limits of the payment form. */
export async function changeCard(
  world: World,
  { username, captcha, ...card }: NewCard,
  browser: MemberBrowser,
): Promise<string> {
  const { id } = await requireDisplayedMember(world, { username }, browser)
  rejectExpiredCard(card, world.now())
  const reference = referenceOf({ enrollment_id: randomUUID(), attempt: 1 })
  if (!(await world.captcha.verify(captcha, reference))) throw refuseFields({ captcha: 'Please confirm the captcha.' })
  const { enrollment_id, mobile_phone, ...billing } = await billingOf(world, id)
  const use = { cc_number: card.cc_number, mobile_phone, enrollment_id, reference, client: browser }
  const counted = await countCardUse(world, use)
  let payment: 'Approved' | 'Declined' | undefined
  try {
    const { outcome } = await replaceCard(world, id, { card, billing, reference })
    if (outcome === 'failed' || outcome === 'unknown') throw new Refusal(502, NOT_VERIFIED)
    payment = outcome === 'approved' ? 'Approved' : 'Declined'
  } finally {
    await counted.settle(payment)
  }
  if (payment === 'Declined') throw refuseFields({ cc_number: DECLINED })
  await chargePastDue(world, id)
  return id
}

const NOT_VERIFIED = 'We could not verify this card. Your old card stays on file. Please try again later.'
const DECLINED =
  'Your bank declined this card. Your old card stays on file. Please check the details or use another card.'

const billingOf = ({ db }: World, id: string) =>
  db
    .selectFrom('member')
    .select(['enrollment_id', 'mobile_phone', 'first_name', 'last_name', 'address', 'address2', 'city', 'state'])
    .select(['country', 'post_code'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
