import { describe, expect, test } from 'vitest'
import { type Answers, Enrollment } from './enrollment.ts'
import { messagesByField } from './fields.ts'
import { completePayload } from './payload.ts'

/** The owner's list, as it was written. */
const ownersFields = `sponsor_site_name, business_name, product_ids, autoship_product_ids, special_product_ids,
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
  shown_texts: 'consent-1',
}

const elsewhere = {
  is_shipping_different: '1',
  ship_address: '9 Elm Rd',
  ship_address2: 'Rear',
  ship_city: 'Toronto',
  ship_country: 'CA',
  ship_state: 'ON',
  ship_zip_code: 'M5V 2T6',
} as const

const refusals = (payload: unknown) => messagesByField(Enrollment.safeParse(payload).error?.issues ?? [])

describe('the full payload', () => {
  test('has the owner’s fields, and beside them only the captcha, the traps and what was seen', () => {
    const expected = [...ownersFields, 'captcha', 'hall_lantern', 'hall_umbrella', 'shown_total', 'shown_texts'].sort()
    expect(ownersFields).toHaveLength(40)
    expect(Object.keys(Enrollment.shape).sort()).toEqual(expected)
    expect(Object.keys(completePayload(answers)).sort()).toEqual(expected)
  })

  test('passes its own rules unchanged', () => {
    const payload = completePayload(answers)
    expect(Enrollment.parse(payload)).toEqual(payload)
  })

  test('is billed to the name and address that were given', () =>
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

  test('4.4 is shipped to the billing address', () => {
    const leftovers = { ...elsewhere, is_shipping_different: '0' } as const
    expect(completePayload({ ...answers, ...leftovers })).toMatchObject({
      ship_address: '1 Main St',
      ship_address2: 'Apt 4',
      ship_city: 'Las Vegas',
      ship_country: 'US',
      ship_state: 'NV',
      ship_zip_code: '89101',
    })
  })

  test('4.4 is shipped elsewhere when that is asked for, and still billed at home', () =>
    expect(completePayload({ ...answers, ...elsewhere })).toMatchObject({ ...elsewhere, bill_address: '1 Main St' }))
})

describe('what the border lets in', () => {
  test('4.3 fields that nobody has named are dropped', () => {
    const hidden = { sponsor_id: '1', level: 'Member', catid: '17', price: '0.01', is_admin: true }
    expect(Enrollment.parse({ ...completePayload(answers), ...hidden })).toEqual(completePayload(answers))
  })

  test('what may be left out gets its default', () => {
    const { business_name, address2, agreement_3, bill_address, hall_lantern, ...rest } = completePayload(answers)
    expect(refusals(rest)).toEqual({})
    expect(Enrollment.parse(rest)).toMatchObject({ business_name: '', address2: '', agreement_3: '0' })
  })

  test('an empty form hears about every required field at once', () =>
    expect(Object.keys(refusals({})).sort()).toEqual(
      `address agreement_1 agreement_2 captcha cc_cvv cc_month cc_number cc_year city country email first_name last_name
       mobile_phone password post_code sponsor_site_name state username`.split(/\s+/),
    ))

  test.each([
    ['ship_address', 'Please enter your address.'],
    ['ship_city', 'Please enter your city.'],
    ['ship_country', 'Please select a country.'],
    ['ship_zip_code', 'Please enter your Post / ZIP code.'],
  ])('4.4 %s is asked for only when shipping is different', (field, message) => {
    const payload = completePayload({ ...answers, ...elsewhere })
    for (const empty of ['', '  ', undefined]) {
      expect(refusals({ ...payload, [field]: empty })).toEqual({ [field]: [message] })
      expect(refusals({ ...payload, is_shipping_different: '0', [field]: empty })).toEqual({})
    }
  })

  test.each([
    ['a wrong', { cc_cvv: '1' }, { cc_cvv: ['Invalid CVC format.'] }],
    ['a missing', { cc_cvv: undefined }, { cc_cvv: ['Please enter the CVC.'] }],
  ])('4.4 %s field and empty shipping fields are heard together', (_which, change, heard) => {
    const unshippable = { ship_city: '', ship_country: 'US', ship_state: '' }
    const payload = { ...completePayload({ ...answers, ...elsewhere }), ...change, ...unshippable }
    const missing = { ship_city: ['Please enter your city.'], ship_state: ['Please select a state.'] }
    expect(refusals(payload)).toEqual({ ...heard, ...missing })
  })

  test.each([[[]], ['text'], [7], [true]])('%j is refused as a whole', (payload) =>
    expect(Object.keys(refusals(payload))).toEqual(['body']),
  )

  test.each([[null], [undefined]])('%j is refused as a whole', (payload) =>
    expect(Object.keys(refusals(payload))).toEqual(['body']),
  )
})
