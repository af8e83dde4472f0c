import { randomUUID } from 'node:crypto'
import { countMembersCardUse } from '#server/abuse/card-limits.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import type { Card } from '#server/gateways/payment/port.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { requirePassword } from '#server/members/details.ts'
import { requireDisplayedMember } from '#server/members/session.ts'
import {
  type ChargeOutcome,
  chargePastDue,
  rejectExpiredCard,
  replaceCard,
  requireShownPrice,
} from '#server/membership/card.ts'
import { comeBack } from '#server/membership/return.ts'
import { membershipSummary } from '#server/membership/summary.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

type Proof = { username: string; current_password?: string | undefined }
type NewCard = Card & Proof & { captcha: string; shown_price?: string | undefined }

/** Replaces the card on file. Card testers would like this form, so it has the captcha and the limits of the payment form. */
export async function changeCard(
  world: World,
  { username, captcha, current_password, shown_price, ...card }: NewCard,
  browser: MemberBrowser,
): Promise<string> {
  const { id } = await requireProof(world, { username, current_password }, browser)
  rejectExpiredCard(card, world.now())
  requireShownPrice((await membershipSummary(world, id)).card_charge, { shown_price })
  const reference = newReference()
  if (!(await world.captcha.verify(captcha, reference))) throw refuseFields({ captcha: 'Please confirm the captcha.' })
  const { enrollment_id, mobile_phone, vault_reference: _onFile, ...billing } = await cardholder(world, id)
  const { cc_number } = card
  const counted = await countMembersCardUse(world, {
    cc_number,
    mobile_phone,
    enrollment_id,
    reference,
    client: browser,
  })
  let counts: 'Approved' | 'Declined' | 'Verified' | undefined
  try {
    const { outcome } = await replaceCard(world, id, { card, billing, reference, address: browser.address })
    if (outcome === 'failed' || outcome === 'unknown') throw new Refusal(502, NOT_VERIFIED)
    counts = outcome === 'approved' ? 'Verified' : 'Declined'
    if (outcome === 'declined') throw new Refusal(402, DECLINED)
    const payment = await chargePastDue(world, id, { shown_price })
    if (payment === 'Approved' || payment === 'Declined') counts = payment
    if (payment === 'Pending') counts = undefined // if it's declined, the janitor counts it
  } finally {
    await counted.settle(counts)
  }
  return id
}

const PROOF_MS = 10 * 60_000

/** A session alone is not enough: the member has just signed in, or enters the password. */
async function requireProof(world: World, { username, current_password }: Proof, browser: MemberBrowser) {
  const member = await requireDisplayedMember(world, { username }, browser)
  if (proofSeconds(world, member.signed_in_at) > 0) return member
  if (!current_password) throw refuseFields({ current_password: 'Please enter your current password.' })
  return requirePassword(world, current_password, browser)
}

/** For how long the sign-in still counts as recent. */
export const proofSeconds = ({ now }: World, signed_in_at: Date): number =>
  Math.max(0, Math.ceil((signed_in_at.getTime() + PROOF_MS - now().getTime()) / 1000))

const NOT_VERIFIED = 'We could not verify this card. Your old card stays on file. Please try again later.'
const DECLINED =
  'Your bank declined this card, and nothing was charged. Your old card stays on file. Please check the details or use a different card.'

type Return = Proof & { shown_price: string }

/** Comes back and pays with the card on file. */
export async function comeBackAndPay(
  world: World,
  { username, current_password, ...price }: Return,
  browser: MemberBrowser,
): Promise<string> {
  const { id } = await requireProof(world, { username, current_password }, browser)
  const { enrollment_id, mobile_phone, vault_reference } = await cardholder(world, id)
  const use = { vault_reference, mobile_phone, enrollment_id, reference: newReference(), client: browser }
  const counted = await countMembersCardUse(world, use)
  let payment: ChargeOutcome | undefined
  try {
    payment = await comeBack(world, id, price)
  } finally {
    await counted.settle(payment === 'Approved' || payment === 'Declined' ? payment : 'Nothing') // a pending one blocks the next
  }
  if (payment === 'Declined')
    throw new Refusal(402, 'Your bank declined the charge, so you haven’t paid anything. Please use a different card.')
  if (payment === 'Failed')
    throw new Refusal(502, 'We couldn’t reach the bank, so you haven’t paid anything. Please try again later.')
  return id
}

/** What we count has its own reference, like a payment. */
const newReference = () => referenceOf({ enrollment_id: randomUUID(), attempt: 1 })

const cardholder = ({ db }: World, id: string) =>
  db
    .selectFrom('member')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .select(['enrollment_id', 'mobile_phone', 'first_name', 'last_name', 'address', 'address2', 'city'])
    .select(['member.state', 'country', 'post_code', 'vault_reference'])
    .where('member.id', '=', id)
    .executeTakeFirstOrThrow()
