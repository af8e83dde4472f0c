import { describe, expect, test } from 'vitest'
import type { Policy, Step } from '#contract/start.ts'
import type { Draft, Receipt } from '#web/storage.ts'
import { accountRules, reachableStep } from './rules.ts'

const policy: Policy = { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false }
const chosen: Draft = { product_ids: '34' }
const named: Draft = { ...chosen, first_name: 'Zoë', last_name: 'Kim', mobile_phone: '+12025550123' }
const stored: Draft = { ...named, email: 'zoe@example.com', username: 'zoe' }
const complete: Draft = { ...stored, password: 'Open-Sesame-7' }

test.each<[string, Step, Draft, Step]>([
  ['without a package the packages come first', 'ACCOUNT', {}, 'PRODUCT_SELECTION'],
  ['with a package ACCOUNT can be reached', 'ACCOUNT', chosen, 'ACCOUNT'],
  ['without a name ACCOUNT_CREATION cannot be reached', 'ACCOUNT_CREATION', chosen, 'ACCOUNT'],
  ['with a name it can', 'ACCOUNT_CREATION', named, 'ACCOUNT_CREATION'],
  ['a reload on PAYMENT, which drops the password, opens ACCOUNT_CREATION', 'PAYMENT', stored, 'ACCOUNT_CREATION'],
  ['with the password still in memory PAYMENT stays open', 'PAYMENT', complete, 'PAYMENT'],
  ['the browser’s Forward never leads to ACCESS', 'ACCESS', complete, 'PAYMENT'],
  ['the packages can always be reached', 'PRODUCT_SELECTION', complete, 'PRODUCT_SELECTION'],
  ['an invalid answer blocks the later steps', 'PAYMENT', { ...complete, last_name: ' ' }, 'ACCOUNT'],
  [
    '12.2 a password made from the visitor’s own name blocks PAYMENT',
    'PAYMENT',
    { ...complete, last_name: 'Example', password: 'Example-2026' },
    'ACCOUNT_CREATION',
  ],
  ['12.2 so does a common password', 'PAYMENT', { ...complete, password: 'Password1!' }, 'ACCOUNT_CREATION'],
  ['a filled honeypot blocks the later steps', 'PAYMENT', { ...complete, hall_lantern: 'x' }, 'ACCOUNT'],
])('%s', (_, target, draft, step) => {
  expect(reachableStep(target, { draft, phones: {}, receipt: undefined }, policy)).toBe(step)
})

test('10.20 once it is paid in another tab, every step leads to its result', () => {
  const progress = { draft: named, phones: {}, receipt: undefined, joinedAs: 'mara' }
  expect(reachableStep('ACCOUNT', progress, policy)).toBe('PAYMENT')
})

test.each([
  ['+12025550123', undefined],
  ['+17872345678', undefined],
  ['+1123456', 'Invalid mobile phone number format.'],
  ['123456', 'Invalid mobile phone number format.'],
  ['+525512345678', 'Elsewhere.'],
  ['+12425550123', 'Elsewhere.'],
])('5.9 5.10 with verification on, %s is checked before Next', (number, message) => {
  const { mobile_phone } = accountRules({ ...policy, code_countries: { codes: ['US', 'PR'], elsewhere: 'Elsewhere.' } })
  expect(mobile_phone.safeParse(number).error?.issues[0]?.message).toBe(message)
})

test.each([
  ['5550123', true],
  ['+15550123', true],
  ['+1123456', true],
  ['12345678901234567890', true],
  ['+12345678901234567890', true],
  ['+525512345678', true],
  ['123456', false],
  ['+123456', false],
  ['123456789012345678901', false],
])('5.9 6.1 without verification the owner’s rule decides: %s passes: %s', (number, passes) => {
  expect(accountRules(policy).mobile_phone.safeParse(number).success).toBe(passes)
})

test('6.1 with COMMON_PASSWORDS=allow a common password leads to PAYMENT', () => {
  const progress = { draft: { ...complete, password: 'Password-1' }, phones: {}, receipt: undefined }
  expect(reachableStep('PAYMENT', progress, { ...policy, common_passwords: 'allow' })).toBe('PAYMENT')
})

test('with verification on only a verified number leads to ACCOUNT_CREATION', () => {
  const verifying = { ...policy, phone_verification: true }
  const reach = (draft: Draft, phones: Record<string, { verified?: boolean }>) =>
    reachableStep('ACCOUNT_CREATION', { draft, phones, receipt: undefined }, verifying)
  const verified = { '+12025550123': { verified: true } }
  expect(reach(named, {})).toBe('CODE_VERIFICATION')
  expect(reach(named, verified)).toBe('ACCOUNT_CREATION')
  expect(reach({ ...named, mobile_phone: '+12025550124' }, verified)).toBe('CODE_VERIFICATION')
})

describe('once Confirm and Pay was pressed', () => {
  const receipt = { enrollment_id: 'e7', lines: [] } as unknown as Receipt

  test.each<[string, Step, Draft, Step]>([
    ['a reload shows the outcome', 'PAYMENT', stored, 'PAYMENT'],
    ['and so does Back from the office', 'ACCESS', chosen, 'ACCESS'],
    ['without a reload an invalid step still blocks it', 'PAYMENT', { ...complete, username: '' }, 'ACCOUNT_CREATION'],
    ['and valid ones lead back to it', 'PAYMENT', complete, 'PAYMENT'],
    ['after the payment, when no answers are left, Back leads to it too', 'ACCOUNT_CREATION', {}, 'PAYMENT'],
  ])('10.6 12.2 %s', (_, target, draft, step) => {
    expect(reachableStep(target, { draft, phones: {}, receipt }, policy)).toBe(step)
  })
})
