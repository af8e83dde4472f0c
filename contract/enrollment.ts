import * as z from 'zod/mini'
import { fields } from './fields.ts'
import { missingShipping } from './shipping.ts'

/** A copy that the form sends because the spec names it. The server works it out again and ignores this one. */
const copy = z.optional(z.string())

/** What the visitor saw. An order that no longer fits it is refused, not charged. */
const shown = z.optional(z.string().check(z.maxLength(2000)))

const shipping = z.check<Record<string, unknown>>(
  ({ value, issues }) => {
    for (const [field, message] of Object.entries(missingShipping(value)))
      issues.push({ code: 'custom', message, path: [field], input: value })
  },
  { when: ({ value }) => typeof value === 'object' && value !== null }, // also when other fields do not fit
)

/** The payload of add-enrollment: all the owner's fields, the captcha's solution and the traps. */
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
    bill_first_name: copy,
    bill_last_name: copy,
    bill_address: copy,
    bill_address2: copy,
    bill_city: copy,
    bill_country: copy,
    bill_state: copy,
    bill_zip_code: copy,
    ship_address: fields.ship_address,
    ship_address2: fields.ship_address2,
    ship_city: fields.ship_city,
    ship_country: fields.ship_country,
    ship_state: fields.ship_state,
    ship_zip_code: fields.ship_zip_code,
    credit_card_expiration: copy,
    cc_number: fields.cc_number,
    cc_month: fields.cc_month,
    cc_year: fields.cc_year,
    cc_cvv: fields.cc_cvv,
    captcha: fields.captcha,
    hall_lantern: fields.hall_lantern,
    hall_umbrella: fields.hall_umbrella,
    shown_total: shown,
    shown_texts: shown,
  })
  .check(shipping)

export type Enrollment = z.infer<typeof Enrollment>

/** What the visitor answers; the rest of the payload follows from it. */
export type Answers = Omit<Enrollment, 'agreement_3' | 'credit_card_expiration' | `bill_${string}`>
