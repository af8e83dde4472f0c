import type { Enrollment } from '#contract/enrollment.ts'
import { documentsFingerprint } from '#contract/legal.ts'
import { toAmount } from '#contract/money.ts'
import { shippingOf } from '#contract/payload.ts'
import { requiresPhoneCode } from '#server/abuse/breaker.ts'
import { countRefusal } from '#server/abuse/limits.ts'
import { checkoutDocuments, consentFor, priceOrder, totalOf } from '#server/catalog/catalog.ts'
import { networkOf } from '#server/client.ts'
import { asBookkeeping } from '#server/db/outage.ts'
import type { Details } from '#server/db/tables.ts'
import type { AttemptKey } from '#server/gateways/payment/attempt-key.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { rejectExpiredCard } from '#server/membership/card.ts'
import { requireVerifiedPhone } from '#server/phone/verified.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { rejectGuessablePassword } from '#server/secrets/common-passwords.ts'
import { creditForOrder } from '#server/sponsors/credit.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import type { ScreenedOrder } from './reservation.ts'

/** One submission of the payment form. */
export type PaymentRequest = { order: Enrollment; key: AttemptKey; visitor: Visitor }

/**
 * Every check that needs neither the gateway nor a password hash. Returns what the attempt stores of the order. The captcha
 * comes last: its solution can be used only once, and a typo in another field should not cost it.
 */
export async function screenOrder(world: World, request: PaymentRequest): Promise<ScreenedOrder> {
  const { order, key, visitor } = request
  rejectTooFast(world, visitor)
  rejectGuessablePassword(world, order)
  rejectExpiredCard(order, world.now())
  const [{ sponsor, touches }, lines, , documents] = await allInOrder(
    creditForOrder(world, key.enrollment_id, order.sponsor_site_name, visitor),
    pricedLines(world, order),
    requireVerifiedPhone(world, confirmingOf(request), {
      isTripped: () => requiresPhoneCode(world, networkOf(visitor)),
    }),
    currentDocuments(world, order),
  )
  const consent = currentConsent(order, lines)
  await checkCaptcha(world, request)
  const acceptances = [...documents.map(acceptanceOf('agreement_1')), acceptanceOf('agreement_2')(consent)]
  const details = { sponsor_id: sponsor.id, member: memberOf(order), shipping: shippingOf(order), lines, acceptances }
  return { details, touches, consent: { sha256: consent.sha256, content: consent.content } }
}

/** Last, because a solution can be used only once. */
export async function checkCaptcha({ captcha }: World, { order, key }: Pick<PaymentRequest, 'order' | 'key'>) {
  if (!(await asBookkeeping(() => captcha.verify(order.captcha, referenceOf(key)))))
    // the same attempt may bring it again

    throw refuseFields({ captcha: 'Please confirm the captcha.' })
}

/** The phone of an order, to be confirmed for its enrollment. */
export const confirmingOf = ({ order, key, visitor }: PaymentRequest) => ({
  mobile_phone: order.mobile_phone,
  enrollment_id: key.enrollment_id,
  cookie: visitor.enrollment_id,
})

/** Like Promise.all, but if several fail, the error of the first in the list is thrown. They run side by side to save time. */
async function allInOrder<Values extends unknown[]>(...promises: { [Index in keyof Values]: Promise<Values[Index]> }) {
  const results = await Promise.allSettled(promises)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return Promise.all(promises)
}

/**
 * A person needs more than a few seconds to fill in the form. A caller without our cookie has opened no page, so there is
 * nothing to measure; a negative time means that another process's clock is ahead.
 */
export function rejectTooFast({ config, now }: World, { firstPageAt }: Visitor) {
  if (!firstPageAt) return
  const seconds = (now().getTime() - firstPageAt.getTime()) / 1000
  const isTooSoon = seconds >= 0 && seconds < config.MINIMUM_SECONDS
  if (!isTooSoon) return
  countRefusal('MINIMUM_SECONDS')
  throw new Refusal(429, 'You submitted the form too quickly. Please wait a moment and try again.', {
    retryAfter: Math.ceil(config.MINIMUM_SECONDS - seconds),
  })
}

/** The order at our prices. The total must be the one that the visitor saw. */
async function pricedLines(world: World, order: Enrollment): Promise<Details['lines']> {
  if (!order.product_ids) throw refuseFields({ product_ids: 'Please choose a package.' })
  const lines = await priceOrder(world, order)
  checkTotal(order, toAmount(totalOf(lines)))
  return lines
}

export function checkTotal({ shown_total }: Enrollment, total: string): void {
  if (shown_total === undefined || shown_total === total) return
  const message = `The price has changed from $${shown_total} to $${total}. Please check the new total before you pay.`
  throw refuseField('shown_total', message)
}

/** Fields are listed one by one, so that card and password are never stored with them. */
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

/** The current documents behind the first checkbox, each once. They must be the ones that the visitor saw. */
async function currentDocuments({ db }: World, order: Enrollment) {
  const documents = await checkoutDocuments(db)
  checkDocuments(order, documentsFingerprint(documents))
  return [...new Map(documents.map((document) => [`${document.sha256} ${document.title}`, document])).values()]
}

export function checkDocuments({ shown_texts }: Enrollment, current: string): void {
  if (shown_texts === undefined || shown_texts === current) return
  throw refuseFields({
    agreement_1: 'A document has changed since you opened this page. Please read it again, or reload the page.',
  })
}

/** The text behind the second checkbox. It must be, word for word, the one that the visitor saw. */
function currentConsent(order: Enrollment, lines: Details['lines']) {
  const consent = consentFor(lines)
  checkConsent(order, consent.content)
  return consent
}

export function checkConsent({ shown_consent }: Enrollment, current: string): void {
  if (shown_consent === undefined || shown_consent === current) return
  throw refuseFields({
    agreement_2: 'This text has changed since you opened this page. Please read it again, or reload the page.',
  })
}

const acceptanceOf =
  <Agreement extends 'agreement_1' | 'agreement_2'>(agreement: Agreement) =>
  ({ title, version, sha256 }: { title: string; version: number; sha256: string }) => ({
    agreement,
    title,
    version,
    sha256,
  })
