import type { Answers, Enrollment } from './enrollment.ts'

/** The shipping address: the billing address, unless the visitor entered another one. */
export const shippingOf = (order: Answers) =>
  order.is_shipping_different === '1'
    ? {
        ship_address: order.ship_address,
        ship_address2: order.ship_address2,
        ship_city: order.ship_city,
        ship_country: order.ship_country,
        ship_state: order.ship_state,
        ship_zip_code: order.ship_zip_code,
      }
    : {
        ship_address: order.address,
        ship_address2: order.address2,
        ship_city: order.city,
        ship_country: order.country,
        ship_state: order.state,
        ship_zip_code: order.post_code,
      }

/** The full payload of the spec, derived from the visitor's answers. */
export const completePayload = (answers: Answers): Enrollment => ({
  ...answers,
  agreement_3: '0',
  bill_first_name: answers.first_name,
  bill_last_name: answers.last_name,
  bill_address: answers.address,
  bill_address2: answers.address2,
  bill_city: answers.city,
  bill_country: answers.country,
  bill_state: answers.state,
  bill_zip_code: answers.post_code,
  ...shippingOf(answers),
  credit_card_expiration: `${answers.cc_month}/${answers.cc_year.slice(2)}`,
})
