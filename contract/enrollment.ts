import * as z from 'zod/mini'
import { fields } from './fields.ts'
import { missingShipping } from './shipping.ts'

/** The spec requires the form to send this field, but the server derives the value from other fields and ignores it. */
const derived = z.optional(z.string())

/** What the screen showed. If it no longer matches the order, the server refuses it instead of charging. */
const shownOnScreen = z.optional(z.string().check(z.maxLength(2000)))

/** A rule across fields sees only the values that passed their own rule: the others may not even be text. */
const shippingAddress = z.check<Record<string, string>>(
  ({ value, issues }) => {
    const failed = new Set(issues.map(({ path }) => path?.[0]))
    const passed = Object.fromEntries(Object.entries(value).filter(([field]) => !failed.has(field)))
    for (const [field, message] of Object.entries(missingShipping(passed)))
      if (!failed.has(field)) issues.push({ code: 'custom', message, path: [field], input: value })
  },
  { when: ({ value }) => typeof value === 'object' && value !== null }, // also when other fields are invalid
)

/** The payload of add-enrollment: all fields of the spec, the captcha solution and the honeypots. */
export const Enrollment = z
  .object({
    sponsor_site_name: fields.sponsor_site,
    business_name: fields.business_name,
    product_ids: fields.product_ids,
    autoship_product_ids: fields.product_ids,
    special_product_ids: fields.product_ids,
    first_name: fields.first_name,
    last_name: fields.last_name,
    email: fields.email,
    address: fields.address,
    address2: fields.address2,
    city: fields.city,
    country: fields.country,
    state: fields.state,
    mobile_phone: fields.mobile_phone,
    post_code: fields.post_code,
    username: fields.username,
    password: fields.password,
    agreement_1: fields.agreement_1,
    agreement_2: fields.agreement_2,
    agreement_3: fields.agreement_3,
    is_shipping_different: fields.is_shipping_different,
    bill_first_name: derived,
    bill_last_name: derived,
    bill_address: derived,
    bill_address2: derived,
    bill_city: derived,
    bill_country: derived,
    bill_state: derived,
    bill_zip_code: derived,
    ship_address: fields.ship_address,
    ship_address2: fields.ship_address2,
    ship_city: fields.ship_city,
    ship_country: fields.ship_country,
    ship_state: fields.ship_state,
    ship_zip_code: fields.ship_zip_code,
    credit_card_expiration: derived,
    cc_number: fields.cc_number,
    cc_month: fields.cc_month,
    cc_year: fields.cc_year,
    cc_cvv: fields.cc_cvv,
    captcha: fields.captcha,
    hall_lantern: fields.hall_lantern,
    hall_umbrella: fields.hall_umbrella,
    shown_total: shownOnScreen,
    shown_texts: shownOnScreen,
    shown_consent: shownOnScreen,
    /** The reference of an earlier attempt whose outcome is unknown: the visitor was warned, and wants to try again. */
    after_unknown: z.optional(z.string().check(z.maxLength(20))),
  })
  .check(shippingAddress)

export type Enrollment = z.infer<typeof Enrollment>

/** What the visitor enters. The rest of the payload is derived from it. */
export type Answers = Omit<Enrollment, 'agreement_3' | 'credit_card_expiration' | `bill_${string}`>
