import { expect, test } from 'vitest'
import type { Policy, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { reachable } from './asked.ts'

const policy: Policy = { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false }
const chosen: Draft = { product_ids: '34' }
const named: Draft = { ...chosen, first_name: 'Zoë', last_name: 'Kim', mobile_phone: '+12025550123' }
const stored: Draft = { ...named, email: 'zoe@example.com', username: 'zoe' }
const whole: Draft = { ...stored, password: 'Abcdef1!' }

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
  ['a filled trap stops', 'PAYMENT', { ...whole, hall_lantern: 'x' }, 'ACCOUNT'],
])('%s', (_, wanted, draft, opened) => {
  expect(reachable(wanted, draft, policy)).toBe(opened)
})
