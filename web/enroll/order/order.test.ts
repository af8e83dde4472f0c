import { expect, test } from 'vitest'
import type { Package } from '#contract/api.ts'
import { preselectedPackage, type StartData } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { restoreDraft } from './order.ts'

const starters = [34, 35].map((product_id) => ({ product_id, is_recurring: false, is_special: false }))
const subscription = { product_id: 41, is_recurring: true, is_special: false }
const policy = { start_step: 'ACCOUNT', autoship: true, special: false, phone_verification: false } as const
const special = { product_id: 51, is_recurring: false, is_special: true }
const start = { product_id: 34, packages: [...starters, subscription, special], policy } as StartData

test.each<[string, Draft, Draft]>([
  ['the chosen package stays', { product_ids: '35', first_name: 'Zoë' }, { product_ids: '35', first_name: 'Zoë' }],
  ['a withdrawn package is replaced by the preselected one', { product_ids: '36' }, { product_ids: '34' }],
  ['so is one that was removed before the reload', { product_ids: '' }, { product_ids: '34' }],
  ['a withdrawn add-on is removed', { autoship_product_ids: '42' }, { product_ids: '34' }],
  ['an offered add-on stays', { autoship_product_ids: '41' }, { product_ids: '34', autoship_product_ids: '41' }],
  ['an add-on whose step was switched off is removed', { special_product_ids: '51' }, { product_ids: '34' }],
])('10.14 after a reload %s', (_, stored, draft) => {
  expect(restoreDraft(stored, start)).toEqual(draft)
})

test('10.14 number 34 is preselected wherever it is in the list, if it exists and is a membership', () => {
  const [founding, other] = starters as Package[]
  const preselected = (...packages: (Package | undefined)[]) =>
    preselectedPackage(packages.filter((offer) => offer !== undefined))?.product_id
  expect(preselected(other, founding)).toBe(34)
  expect(preselected(other)).toBeUndefined()
  expect(preselectedPackage([founding, other] as Package[], { starter_product_id: 35 })?.product_id).toBe(35)
  expect(preselected(other, { ...subscription, product_id: 34 } as Package)).toBeUndefined()
})
