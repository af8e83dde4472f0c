import { consentText, documentsFingerprint, isShownAtCheckout } from '#contract/legal.ts'
import { requiresPhoneCode } from '#server/abuse/breaker.ts'
import { networkOf } from '#server/client.ts'
import {
  checkCaptcha,
  checkConsent,
  checkDocuments,
  checkTotal,
  confirmingOf,
  type PaymentRequest,
  rejectTooFast,
} from '#server/enrollment/screening.ts'
import { rejectExpiredCard } from '#server/membership/card.ts'
import { requireVerifiedPhone } from '#server/phone/verified.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { rejectGuessablePassword } from '#server/secrets/common-passwords.ts'
import { HostAway } from './catalog.ts'
import type { Provider } from './provider.ts'

/** Our own checks, before an enrollment is sent to the host. The captcha comes last, because its solution works once. */
export async function screen({ world, catalog }: Provider, request: PaymentRequest): Promise<void> {
  const { order, visitor } = request
  rejectTooFast(world, visitor)
  rejectGuessablePassword(world, order)
  rejectExpiredCard(order, world.now())
  if (!order.product_ids) throw refuseFields({ product_ids: 'Please choose a package.' })
  const [sponsor, total, documents] = await Promise.all([
    catalog.sponsor(order.sponsor_site_name),
    catalog.totalOf(order),
    catalog.documents(),
  ]).catch(refuseWhileAway)
  if (!sponsor?.active || sponsor.site !== order.sponsor_site_name)
    throw refuseField('sponsor_site_name', 'This sponsor’s website is not active. Please reload this page.')
  checkTotal(order, total)
  checkDocuments(order, documentsFingerprint(documents.filter(isShownAtCheckout)))
  checkConsent(order, consentText(total, '', 'unknown'))
  await requireVerifiedPhone(world, confirmingOf(request), {
    isTripped: () => requiresPhoneCode(world, networkOf(visitor)),
  })
  await checkCaptcha(world, request)
}

/** We don't know what the visitor agrees to, so we send nothing. */
function refuseWhileAway(error: unknown): never {
  throw error instanceof HostAway
    ? new Refusal(502, 'There was an error processing your payment. Please try again later.')
    : error
}
