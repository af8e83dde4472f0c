import { describe, expect, test } from 'vitest'
import { type Answers, Enrollment } from './enrollment.ts'
import { messagesByField } from './fields.ts'
import { completePayload } from './payload.ts'

/** The list of the spec, unchanged. */
const specFields = `sponsor_site_name, business_name, product_ids, autoship_product_ids, special_product_ids,
  first_name, last_name, email, address, address2, city, country, state, mobile_phone, post_code, username, password,
  agreement_1, agreement_2, agreement_3, is_shipping_different, bill_first_name, bill_last_name, bill_address,
  bill_address2, bill_city, bill_country, bill_state, bill_zip_code, ship_address, ship_address2, ship_city,
  ship_country, ship_state, ship_zip_code, credit_card_expiration, cc_number, cc_month, cc_year, cc_cvv`.split(/,\s*/)

const answers: Answers = {
  sponsor_site_name: 'master',
  business_name: 'Analytical Engines',
  product_ids: '34',
  autoship_product_ids: '',
  special_product_ids: '',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  address: '1 Main St',
  address2: 'Apt 4',
  city: 'Las Vegas',
  country: 'US',
  state: 'NV',
  mobile_phone: '+12025550123',
  post_code: '89101',
  username: 'ada',
  password: 'Abcdef1!',
  agreement_1: '1',
  agreement_2: '1',
  is_shipping_different: '0',
  ship_address: '',
  ship_address2: '',
  ship_city: '',
  ship_country: '',
  ship_state: '',
  ship_zip_code: '',
  cc_number: '4242424242424242',
  cc_month: '07',
  cc_year: '2030',
  cc_cvv: '123',
  captcha: 'solved',
  hall_lantern: '',
  hall_umbrella: '',
  shown_total: '99.00',
  shown_texts: '',
  shown_consent: '',
}

const otherAddress = {
  is_shipping_different: '1',
  ship_address: '9 Elm Rd',
  ship_address2: 'Rear',
  ship_city: 'Toronto',
  ship_country: 'CA',
  ship_state: 'ON',
  ship_zip_code: 'M5V 2T6',
} as const

const errorsOf = (payload: unknown) => messagesByField(Enrollment.safeParse(payload).error?.issues ?? [])

describe('the full payload', () => {
  test('25.10 has the fields of the spec, plus the captcha, the honeypots and what the screen showed', () => {
    const expected = [
      ...specFields,
      'captcha',
      'hall_lantern',
      'hall_umbrella',
      'shown_total',
      'shown_texts',
      'shown_consent',
    ].sort()
    expect(specFields).toHaveLength(40)
    expect(Object.keys(Enrollment.shape).sort()).toEqual([...expected, 'after_unknown'].sort())
    expect(Object.keys(completePayload(answers)).sort()).toEqual(expected)
  })

  test('is valid and unchanged by its own rules', () => {
    const payload = completePayload(answers)
    expect(Enrollment.parse(payload)).toEqual(payload)
  })

  test('25.10 is billed to the visitor’s name and address', () =>
    expect(completePayload(answers)).toMatchObject({
      bill_first_name: 'Ada',
      bill_last_name: 'Lovelace',
      bill_address: '1 Main St',
      bill_address2: 'Apt 4',
      bill_city: 'Las Vegas',
      bill_country: 'US',
      bill_state: 'NV',
      bill_zip_code: '89101',
      credit_card_expiration: '07/30',
      agreement_3: '0',
    }))

  test('4.4 ships to the billing address by default', () => {
    const uncheckedAgain = { ...otherAddress, is_shipping_different: '0' } as const
    expect(completePayload({ ...answers, ...uncheckedAgain })).toMatchObject({
      ship_address: '1 Main St',
      ship_address2: 'Apt 4',
      ship_city: 'Las Vegas',
      ship_country: 'US',
      ship_state: 'NV',
      ship_zip_code: '89101',
    })
  })

  test('4.4 ships to another address on request, and still bills the billing address', () =>
    expect(completePayload({ ...answers, ...otherAddress })).toMatchObject({
      ...otherAddress,
      bill_address: '1 Main St',
    }))
})

describe('the validation of the payload', () => {
  test('4.3 drops unknown fields', () => {
    const unknownFields = { sponsor_id: '1', level: 'Member', catid: '17', price: '0.01', is_admin: true }
    expect(Enrollment.parse({ ...completePayload(answers), ...unknownFields })).toEqual(completePayload(answers))
  })

  test('fills in defaults for optional fields', () => {
    const { business_name, address2, agreement_3, bill_address, hall_lantern, ...rest } = completePayload(answers)
    expect(errorsOf(rest)).toEqual({})
    expect(Enrollment.parse(rest)).toMatchObject({ business_name: '', address2: '', agreement_3: '0' })
  })

  test('reports every missing required field at once', () =>
    expect(Object.keys(errorsOf({})).sort()).toEqual(
      `address agreement_1 agreement_2 captcha cc_cvv cc_month cc_number cc_year city country email first_name last_name
       mobile_phone password post_code sponsor_site_name state username`.split(/\s+/),
    ))

  test.each([
    ['ship_address', 'Please enter your address.'],
    ['ship_city', 'Please enter your city.'],
    ['ship_country', 'Please select a country.'],
    ['ship_zip_code', 'Please enter your Post / ZIP code.'],
  ])('4.4 requires %s only for a separate shipping address', (field, message) => {
    const payload = completePayload({ ...answers, ...otherAddress })
    for (const empty of ['', '  ', undefined]) {
      expect(errorsOf({ ...payload, [field]: empty })).toEqual({ [field]: [message] })
      expect(errorsOf({ ...payload, is_shipping_different: '0', [field]: empty })).toEqual({})
    }
  })

  test.each([
    ['an invalid', { cc_cvv: '1' }, { cc_cvv: ['Invalid CVC format.'] }],
    ['a missing', { cc_cvv: undefined }, { cc_cvv: ['Please enter the CVC.'] }],
  ])('4.4 reports %s field and missing shipping fields together', (_which, change, errors) => {
    const noAddress = { ship_city: '', ship_country: 'US', ship_state: '' }
    const payload = { ...completePayload({ ...answers, ...otherAddress }), ...change, ...noAddress }
    const missing = { ship_city: ['Please enter your city.'], ship_state: ['Please select a state.'] }
    expect(errorsOf(payload)).toEqual({ ...errors, ...missing })
  })

  test.each([[[]], ['text'], [7], [true]])('rejects %j as a whole', (payload) =>
    expect(Object.keys(errorsOf(payload))).toEqual(['body']),
  )

  test.each([[null], [undefined]])('rejects %j as a whole', (payload) =>
    expect(Object.keys(errorsOf(payload))).toEqual(['body']),
  )
})
