import type { LegalDocument } from '#contract/api.ts'
import { brandOf, brands, cardDigits, isExpired } from '#contract/card.ts'
import { dayIn } from '#contract/days.ts'
import type { Answers, Enrollment } from '#contract/enrollment.ts'
import { fields, messages } from '#contract/fields.ts'
import { consentText, documentsFingerprint, isRenewalKnown } from '#contract/legal.ts'
import { intervalOf } from '#contract/packages.ts'
import { completePayload } from '#contract/payload.ts'
import { periodStart } from '#contract/renewal.ts'
import { missingShipping } from '#contract/shipping.ts'
import type { StartData } from '#contract/start.ts'
import { type Draft, enrollmentId, type Receipt } from '#web/storage.ts'
import { addAmounts, chosenPackages, orderOf, renewalPrice } from '../../order/order.ts'
import type { fieldRules } from '../../wizard/rules.ts'
import type { State } from '../../wizard/state.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import type { SubmittedAttempt } from './outcome.ts'

type PaymentAnswers = Pick<Answers, keyof typeof fieldRules.PAYMENT>

/** The whole enrollment: the answers of the earlier steps and of PAYMENT. */
export function payloadOf(
  { start, getState }: Wizard,
  documents: LegalDocument[],
  paymentAnswers: PaymentAnswers,
): Enrollment {
  const { draft, grand_total } = getState()
  return completePayload({
    ...paymentAnswers,
    shown_total: grand_total,
    shown_texts: documentsFingerprint(documents),
    shown_consent: consentOf(getState()),
    ...orderOf(draft),
    sponsor_site_name: start.sponsor.site,
    first_name: draft.first_name ?? '',
    last_name: draft.last_name ?? '',
    business_name: draft.business_name ?? '',
    mobile_phone: draft.mobile_phone ?? '',
    email: draft.email ?? '',
    username: draft.username ?? '',
    password: draft.password ?? '',
    hall_lantern: '',
    hall_umbrella: '',
  })
}

/** The consent for the order on the screen. */
export function consentOf({ draft, packages, grand_total }: Order): string {
  const chosen = chosenPackages(draft, packages)
  const today = grand_total ?? addAmounts(chosen.map(({ price }) => price))
  return consentText(today, renewalPrice(chosen), isRenewalKnown(chosen) ? intervalOf(chosen) : 'unknown')
}
type Order = Pick<State, 'draft' | 'packages' | 'grand_total'>

/** The day the visitor pays, as the server counts it: the page's day, or a later one if the page has been open for days. */
const paymentDay = ({ start: { today, time_zone } }: Pick<Wizard, 'start'>): string => {
  const now = dayIn(time_zone, new Date())
  return now > today ? now : today
}

export const renewalDays = (wizard: Pick<Wizard, 'start'>): StartData['renews_on'] => {
  const today = paymentDay(wizard)
  return { month: periodStart(today, 1), year: periodStart(today, 1, 'year') }
}

export function receiptFor(
  { start, getState }: Pick<Wizard, 'start' | 'getState'>,
  press: SubmittedAttempt,
  { cc_number, after_unknown }: Pick<Enrollment, 'cc_number' | 'after_unknown'>,
): Receipt {
  const { draft, packages, grand_total } = getState()
  const brand = brandOf(cc_number)
  const chosen = chosenPackages(draft, packages)
  return {
    ...press,
    ...(after_unknown ? { after_unknown } : {}),
    enrollment_id: enrollmentId(),
    lines: chosen.map(({ name, price, is_recurring, billing_interval }) => ({
      name,
      price,
      is_recurring,
      billing_interval,
    })),
    total: grand_total ?? '',
    renewal_price: renewalPrice(chosen),
    paid_on: paymentDay({ start }),
    ...(brand ? { card: { brand: brands[brand].name, last_four: cardDigits(cc_number).slice(-4) } } : {}),
    renews_on: renewalDays({ start })[intervalOf(chosen)],
    sponsor: start.sponsor.name,
    first_name: draft.first_name ?? '',
    username: draft.username ?? '',
    email: draft.email ?? '',
  }
}

/** The rules of PAYMENT that need more than one field: an expired card, and the shipping address if it is used. */
export function paymentProblems(values: Record<string, string>, now: Date): Draft {
  const { cc_month, cc_year, is_shipping_different } = values
  return {
    ...(cc_month && cc_year && isExpired(cc_month, cc_year, now) ? { cc_year: messages.expired } : {}),
    ...(is_shipping_different === '1' ? shippingProblems(values) : {}),
  }
}

const { ship_address, ship_address2, ship_city, ship_country, ship_state, ship_zip_code } = fields
const shippingRules = { ship_address, ship_address2, ship_city, ship_country, ship_state, ship_zip_code }

function shippingProblems(values: Record<string, string>): Draft {
  const invalid = Object.entries(shippingRules).flatMap(([name, rule]) => {
    const { error } = rule.safeParse(values[name])
    return error ? [[name, error.issues[0]?.message]] : []
  })
  return { ...Object.fromEntries(invalid), ...missingShipping(values) }
}
