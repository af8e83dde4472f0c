import { expect, test } from 'vitest'
import type { StartData } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { refreshed } from './draft.ts'

const shelf = [34, 35].map((product_id) => ({ product_id, is_recurring: false, is_special: false }))
const parcel = { product_id: 41, is_recurring: true, is_special: false }
const start = { product_id: 34, packages: [...shelf, parcel] } as StartData

test.each<[string, Draft, Draft]>([
  ['what was chosen stays', { product_ids: '35', first_name: 'Zoë' }, { product_ids: '35', first_name: 'Zoë' }],
  ['one that is no longer offered gives way to the preselected', { product_ids: '36' }, { product_ids: '34' }],
  ['so does one that was taken out before the load', { product_ids: '' }, { product_ids: '34' }],
  ['what may come with it is left out', { autoship_product_ids: '42' }, { product_ids: '34' }],
  ['or stays', { autoship_product_ids: '41' }, { product_ids: '34', autoship_product_ids: '41' }],
])('10.14 after a load %s', (_, stored, draft) => {
  expect(refreshed(stored, start)).toEqual(draft)
})
