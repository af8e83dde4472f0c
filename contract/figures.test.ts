import { expect, test } from 'vitest'
import { figures } from './figures.ts'
import { AT_CHECKOUT, consentText } from './legal.ts'
import { MASTER, reservedWords } from './site.ts'

test.each([
  ['resend countdown in seconds', figures.resend_seconds, 30],
  ['pause before a username is checked, in ms', figures.username_pause_ms, 500],
  ['shortest username that is checked (over 2)', figures.username_checked_from, 3],
  ['delay before the button returns after a username check, in ms', figures.button_back_ms, 1000],
  ['card expiry years offered', figures.expiry_years, 10],
  ['longest CVC', figures.cvc_length, 4],
  ['shortest password', figures.password_length, 8],
  ['longest first and last name', figures.name_length, 30],
  ['longest email', figures.email_length, 50],
  ['package category', figures.product_category_id, 17],
  ['language', figures.language_id, 1],
  ['preselected starter product', figures.starter_product_id, 34],
])('5.2 6.1 10.14 11.5 25.7 25.13 the spec sets the %s', (_what, ours, spec) => expect(ours).toBe(spec))

test('1.1 visitors without a sponsor join under master', () => expect(MASTER).toBe('master'))

test.each(['master', 'api', 'office', 'console', 'assets'])('3.2 %s is a reserved name', (word) =>
  expect(reservedWords).toContain(word),
)

test('every reserved word would be a valid username', () =>
  expect([...reservedWords].filter((word) => !/^[a-z0-9]{1,30}$/.test(word))).toEqual([]))

test.each([
  ['123.00', 'I agree that my card is charged $172.00 today and $123.00 every month until I cancel.'],
  ['0.00', 'I agree that my card is charged $172.00 today, once.'],
])('4.5 the subscription consent says what the order costs today and every month: %s', (monthly, text) =>
  expect(consentText('172.00', monthly)).toBe(text),
)

test('2.4 checkout documents are marked as the spec says', () => expect(AT_CHECKOUT).toBe('enrollment_page_checkout'))
