import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupOf, groupOfList, orderLists, productIds } from './packages.ts'

test.each([
  [true, false, 'subscription'],
  [true, true, 'subscription'],
  [false, true, 'special'],
  [false, false, 'starter'],
])('2.3 recurring %s and special %s is the %s group', (is_recurring, is_special, group) =>
  expect(groupOf({ is_recurring, is_special })).toBe(group),
)

test('2.3 each list of an order accepts one group', () => {
  expect(orderLists).toEqual(['product_ids', 'autoship_product_ids', 'special_product_ids'])
  expect(Object.values(groupOfList)).toEqual(['starter', 'subscription', 'special'])
})

test.each([
  ['', []],
  ['34', [34]],
  ['34,35', [34, 35]],
])('2.3 the list %j holds %j', (list, ids) => expect(productIds(list)).toEqual(ids))

test('2.3 a comma-separated list is parsed back to its product ids', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 999_999_999 })), (ids) => {
      expect(productIds(ids.join(','))).toEqual(ids)
    }),
  ))
