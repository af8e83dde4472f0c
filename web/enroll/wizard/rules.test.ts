import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Policy, Step } from '#contract/start.ts'
import { keepReceipt } from '#web/enroll/steps/payment/receipt.ts'
import type { Draft, Receipt } from '#web/storage.ts'
import { reachable } from './rules.ts'

const policy: Policy = { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false }
const chosen: Draft = { product_ids: '34' }
const named: Draft = { ...chosen, first_name: 'Zoë', last_name: 'Kim', mobile_phone: '+12025550123' }
const stored: Draft = { ...named, email: 'zoe@example.com', username: 'zoe' }
const whole: Draft = { ...stored, password: 'Open-Sesame-7' }
const receipt: Receipt = {
  attempt: 1,
  pressed_at: 0,
  enrollment_id: 'e7',
  lines: [],
  total: '99.00',
  paid_on: '2026-11-15',
  renews_on: '2026-12-15',
  sponsor: 'Ana',
  first_name: 'Zoë',
  email: 'zoe@example.com',
}

test.each<[string, Step, Draft, Step]>([
  ['without a package the way begins at the packages', 'ACCOUNT', {}, 'PRODUCT_SELECTION'],
  ['with a package ACCOUNT is open', 'ACCOUNT', chosen, 'ACCOUNT'],
  ['without a name nobody creates an account', 'ACCOUNT_CREATION', chosen, 'ACCOUNT'],
  ['with a name one does', 'ACCOUNT_CREATION', named, 'ACCOUNT_CREATION'],
  ['a reload on PAYMENT, which keeps no password, opens ACCOUNT_CREATION', 'PAYMENT', stored, 'ACCOUNT_CREATION'],
  ['with the password still in memory PAYMENT stays open', 'PAYMENT', whole, 'PAYMENT'],
  ['nobody comes to ACCESS by the browser’s Forward', 'ACCESS', whole, 'PAYMENT'],
  ['back to the packages is always open', 'PRODUCT_SELECTION', whole, 'PRODUCT_SELECTION'],
  ['an answer that became invalid stops', 'PAYMENT', { ...whole, last_name: ' ' }, 'ACCOUNT'],
  [
    '12.2 a password made from one’s own name stops',
    'PAYMENT',
    { ...whole, last_name: 'Example', password: 'Example-2026' },
    'ACCOUNT_CREATION',
  ],
  ['12.2 so does one that everybody tries', 'PAYMENT', { ...whole, password: 'Password1!' }, 'ACCOUNT_CREATION'],
  ['a filled trap stops', 'PAYMENT', { ...whole, hall_lantern: 'x' }, 'ACCOUNT'],
])('%s', (_, wanted, draft, opened) => {
  expect(reachable(wanted, draft, policy)).toBe(opened)
})

describe('once something was asked to be paid for', () => {
  afterEach(() => {
    keepReceipt(undefined)
    vi.unstubAllGlobals()
  })

  test.each<[string, Step, Draft, Step]>([
    ['a reload finds back to what became of it', 'PAYMENT', stored, 'PAYMENT'],
    ['and so does a way back from the office', 'ACCESS', chosen, 'ACCESS'],
    ['who is still there passes no invalid step', 'PAYMENT', { ...whole, username: '' }, 'ACCOUNT_CREATION'],
    ['and comes back to it with valid ones', 'PAYMENT', whole, 'PAYMENT'],
    ['who has paid, and has no answers left, finds no other step by Back', 'ACCOUNT_CREATION', {}, 'PAYMENT'],
  ])('10.6 12.2 %s', (_, wanted, draft, opened) => {
    vi.stubGlobal('document', { querySelector: () => ({ content: 'e7' }) })
    keepReceipt(receipt)
    expect(reachable(wanted, draft, policy)).toBe(opened)
  })
})
