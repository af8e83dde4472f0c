import type { LegalDocument } from '#contract/api.ts'
import { isExpired } from '#contract/card.ts'
import type { Answers, Enrollment } from '#contract/enrollment.ts'
import { fields, messages } from '#contract/fields.ts'
import { textsFingerprint } from '#contract/legal.ts'
import { completePayload } from '#contract/payload.ts'
import { renewsOn } from '#contract/renewal.ts'
import { missingShipping } from '#contract/shipping.ts'
import { chosenPackages, orderOf } from '#web/enroll/wizard/draft.ts'
import type { asked } from '#web/enroll/wizard/rules.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import type { Draft, Receipt } from '#web/storage.ts'
import type { Press } from './payment.ts'
import { enrollmentId } from './receipt.ts'

/** Whether anything of it comes by post. */
export const ships = (wizard: Wizard): boolean => chosenPackages(wizard).some((found) => found.ships)

type Paid = Pick<Answers, keyof typeof asked.PAYMENT>

/** Everything that was answered on the way, and here. */
export const payloadOf = ({ draft, start, grand_total }: Wizard, documents: LegalDocument[], paid: Paid): Enrollment =>
  completePayload({
    ...paid,
    shown_total: grand_total,
    shown_texts: textsFingerprint(documents),
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

/** By the server's day, or by today if the page has been open for longer. */
export const renewalOf = ({ start: { renews_on } }: Pick<Wizard, 'start'>): string => {
  const today = renewsOn(new Date())
  return today > renews_on ? today : renews_on
}

/** What one would keep of it. */
export const receiptFor = (wizard: Wizard, press: Press): Receipt => ({
  ...press,
  enrollment_id: enrollmentId(),
  lines: chosenPackages(wizard).map(({ name, price }) => ({ name, price })),
  total: wizard.grand_total ?? '',
  paid_on: new Date().toISOString().slice(0, 10),
  renews_on: renewalOf(wizard),
  sponsor: wizard.start.sponsor.name,
  first_name: wizard.draft.first_name ?? '',
  email: wizard.draft.email ?? '',
})

/** The rules of PAYMENT that need more than one field: an expired card, and where it is sent. */
export function acrossPayment(found: Record<string, string>, now: Date): Draft {
  const { cc_month, cc_year, is_shipping_different } = found
  return {
    ...(cc_month && cc_year && isExpired(cc_month, cc_year, now) ? { cc_year: messages.expired } : {}),
    ...(is_shipping_different === '1' ? wrongIn(found) : {}),
  }
}

const { ship_address, ship_address2, ship_city, ship_country, ship_state, ship_zip_code } = fields
const shipping = { ship_address, ship_address2, ship_city, ship_country, ship_state, ship_zip_code }

const wrongIn = (found: Record<string, string>): Draft => {
  const unfit = Object.entries(shipping).flatMap(([name, rule]) => {
    const { error } = rule.safeParse(found[name])
    return error ? [[name, error.issues[0]?.message]] : []
  })
  return { ...Object.fromEntries(unfit), ...missingShipping(found) }
}
