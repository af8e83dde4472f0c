import { expiryYears, isExpired } from '#contract/card.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { messages } from '#contract/fields.ts'
import { textsFingerprint } from '#contract/legal.ts'
import { toAmount } from '#contract/money.ts'
import { passwordMessages, passwordProblem } from '#contract/password.ts'
import { shippingOf } from '#contract/payload.ts'
import { requiresPhoneCode } from '#server/abuse/breaker.ts'
import { countAgainstLimit, countRefusal } from '#server/abuse/limits.ts'
import { checkoutDocuments, consent, priceOrder, totalOf } from '#server/catalog/catalog.ts'
import type { Details } from '#server/db/tables.ts'
import { referenceOf } from '#server/payments/payments.ts'
import { isVerified } from '#server/phone/phone.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { isCommonPassword } from '#server/secrets/known-passwords.ts'
import { creditForOrder } from '#server/sponsors/credit.ts'
import type { World } from '#server/world.ts'
import type { ScreenedOrder } from './reservation.ts'
import { networkOf, type PaymentRequest, type Visitor } from './visitor.ts'

/**
 * Every check that costs neither money nor a hash, and what an attempt may keep of the order afterwards. The captcha
 * comes last, because its solution is good only once and should not be lost to a typo.
 */
export async function screenOrder(world: World, press: PaymentRequest): Promise<ScreenedOrder> {
  const { order, key, visitor } = press
  await countAgainstLimit(world, 'LIMIT_ENROLLMENTS', visitor.address)
  refuseHaste(world, visitor)
  rejectGuessablePassword(order)
  refuseExpired(order, world.now())
  const [{ sponsor, touches }, lines, , acceptances] = await inOrder(
    creditForOrder(world, key, order.sponsor_site_name, visitor),
    pricedLines(world, order),
    requireVerifiedPhone(world, press, () => requiresPhoneCode(world, networkOf(visitor))),
    acceptedTexts(world, order),
  )
  if (!(await world.captcha.verify(order.captcha, referenceOf(key))))
    throw refuseFields({ captcha: 'Please confirm the captcha.' })
  const details = { sponsor_id: sponsor.id, member: memberOf(order), shipping: shippingOf(order), lines, acceptances }
  return { details, touches }
}

/** Asked together, so that the database hears of all of them at once; of several objections the first one counts. */
async function inOrder<Answers extends unknown[]>(...asked: { [At in keyof Answers]: Promise<Answers[At]> }) {
  const settled = await Promise.allSettled(asked)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return Promise.all(asked)
}

/**
 * Nobody reads, types and pays within seconds of opening the page. Who comes without our cookie has opened none, so there
 * is nothing to measure; neither is there when the clock of another process is ahead.
 */
function refuseHaste({ config, now }: World, { since }: Visitor) {
  if (!since) return
  const seconds = (now().getTime() - since.getTime()) / 1000
  const isTooSoon = seconds >= 0 && seconds < config.MINIMUM_SECONDS
  if (!isTooSoon) return
  countRefusal('MINIMUM_SECONDS')
  throw new Refusal(429, 'That was very quick. Please take a moment and press the button again.', {
    retryAfter: Math.ceil(config.MINIMUM_SECONDS - seconds),
  })
}

/** Passwords that meet the spec's rule and are guessed all the same. */
export function rejectGuessablePassword(order: { password: string } & Parameters<typeof passwordProblem>[1]) {
  const wellKnown = () => (isCommonPassword(order.password) ? passwordMessages.common : undefined)
  const objection = passwordProblem(order.password, order) ?? wellKnown()
  if (objection) throw refuseFields({ password: objection })
}

function refuseExpired({ cc_month, cc_year }: Enrollment, now: Date) {
  if (isExpired(cc_month, cc_year, now)) throw refuseFields({ cc_year: messages.expired })
  if (!expiryYears(now).includes(cc_year)) throw refuseFields({ cc_year: 'Please select the expiration year.' })
}

/**
 * The phone is confirmed where the operator asks for it, and everywhere while the bank declines too many cards, or too many
 * from one network: honest visitors can read their code.
 */
export async function requireVerifiedPhone(
  world: World,
  { order, key, visitor }: PaymentRequest,
  isTripped: () => Promise<boolean>,
) {
  const { PHONE_VERIFICATION } = world.config
  if (!PHONE_VERIFICATION && !(await isTripped())) return
  const { cookie } = visitor
  if (await isVerified(world, order.mobile_phone, { enrollment_id: key.enrollment_id, cookie })) return
  if (PHONE_VERIFICATION) throw refuseFields({ mobile_phone: 'Please verify your mobile phone number.' })
  countRefusal('BREAKER_DECLINES')
  throw refuseFields({ code: 'Please confirm your phone number with the code that we send you.' })
}

/** What the order costs. Nobody is charged another price than the one before their eyes. */
async function pricedLines({ db }: World, order: Enrollment): Promise<Details['lines']> {
  if (!order.product_ids) throw refuseFields({ product_ids: 'Please choose a package.' })
  const lines = await priceOrder(db, order)
  const { shown_total } = order
  const total = toAmount(totalOf(lines))
  if (shown_total === undefined || shown_total === total) return lines
  const sentence = `The price is $${total} now, not $${shown_total}. Please look at the new total before you pay.`
  throw refuseField('shown_total', sentence)
}

/** Named one by one, so that nothing secret slips in with the rest. */
const memberOf = (order: Enrollment): Details['member'] => ({
  username: order.username,
  email: order.email,
  first_name: order.first_name,
  last_name: order.last_name,
  business_name: order.business_name,
  mobile_phone: order.mobile_phone,
  address: order.address,
  address2: order.address2,
  city: order.city,
  country: order.country,
  state: order.state,
  post_code: order.post_code,
})

/** The exact texts behind the two checkboxes, as they stand now, and as the visitor saw them. */
async function acceptedTexts({ db }: World, { shown_texts }: Enrollment): Promise<Details['acceptances']> {
  const documents = await checkoutDocuments(db)
  if (shown_texts !== undefined && shown_texts !== textsFingerprint(documents))
    throw refuseFields({ agreement_1: 'A document has changed since you opened this page. Please read it again.' })
  const { title, version, sha256 } = consent
  const once = new Map(documents.map((document) => [`${document.sha256} ${document.title}`, document])) // the same, in two files
  return [
    ...[...once.values()].map(({ title, version, sha256 }) => ({
      agreement: 'agreement_1' as const,
      title,
      version,
      sha256,
    })),
    { agreement: 'agreement_2', title, version, sha256 },
  ]
}
