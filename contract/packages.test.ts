import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupOf, groupOfList, monthlyCents, monthlyTotal, orderLists, productIds } from './packages.ts'

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
  ['starter', 14_900, 9_900],
  ['subscription', 2_400, 2_400],
  ['special', 4_900, 0],
] as const)('2.1 a %s package of %i cents costs %i a month', (group, price, monthly) =>
  expect(monthlyCents(group, price)).toBe(monthly),
)

test('4.5 the membership and every recurring package renew', () =>
  expect(
    monthlyTotal([
      { list: 'product_ids', price_cents: 14_900 },
      { list: 'autoship_product_ids', price_cents: 2_400 },
      { list: 'autoship_product_ids', price_cents: 1_900 },
      { list: 'special_product_ids', price_cents: 4_900 },
    ]),
  ).toBe(14_200))

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
