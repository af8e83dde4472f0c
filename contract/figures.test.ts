import { expect, test } from 'vitest'
import { figures } from './figures.ts'
import { AT_CHECKOUT, subscriptionConsent } from './legal.ts'
import { MASTER, reservedWords } from './site.ts'

test.each([
  ['resend countdown in seconds', figures.resend_seconds, 30],
  ['pause before a username is looked up, in ms', figures.username_pause_ms, 500],
  ['shortest username that is looked up (over 2)', figures.username_checked_from, 3],
  ['button back after a username check, in ms', figures.button_back_ms, 1000],
  ['card expiry years offered', figures.expiry_years, 10],
  ['longest CVC', figures.cvc_length, 4],
  ['shortest password', figures.password_length, 8],
  ['longest first and last name', figures.name_length, 30],
  ['longest email', figures.email_length, 50],
  ['package category', figures.product_category_id, 17],
  ['language', figures.language_id, 1],
  ['preselected starter product', figures.starter_product_id, 34],
  ['subscription price in cents', figures.subscription_cents, 9900],
])('the owner’s %s', (_what, ours, owners) => expect(ours).toBe(owners))

test('1.1 whoever comes without a sponsor joins under master', () => expect(MASTER).toBe('master'))

test.each(['master', 'api', 'office', 'console', 'assets'])('3.2 nobody can be called %s', (word) =>
  expect(reservedWords).toContain(word),
)

test('a reserved word is one that a username could be', () =>
  expect([...reservedWords].filter((word) => !/^[a-z0-9]{1,30}$/.test(word))).toEqual([]))

test('the subscription consent names its price', () => expect(subscriptionConsent.text).toContain('$99.00 every month'))

test('2.4 documents of the checkout carry its word', () => expect(AT_CHECKOUT).toBe('enrollment_page_checkout'))
