import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fields } from '#contract/fields.ts'
import { fuzzTexts } from '../drill/abuse/fuzz/fuzz-inputs.ts'

type Fields = typeof fields
let lean: Fields

beforeAll(async () => {
  vi.resetModules()
  vi.doMock('zod/mini', () => import('./lean-zod.ts'))
  lean = (await import('#contract/fields.ts')).fields
})
afterAll(() => {
  vi.doUnmock('zod/mini')
  vi.resetModules()
})

/** Valid values of each field in several spellings, and invalid ones. */
const texts = [
  'Ada',
  ' Ada ',
  'ADA',
  'ada1815',
  'ada_l',
  'ada@example.com',
  ' Ada@Example.com',
  'ada@@example.com',
  '1 Main St',
  'Las Vegas',
  'NV',
  'Nevada',
  'US',
  'CA',
  'CAN',
  '01',
  '13',
  '2030',
  '30',
  '0',
  '1',
  '34',
  '34,35',
  '34,',
  '+1 (202) 555-0123',
  '2025550123',
  '++1',
  '123456',
  '123 456',
  '12345a',
  '12',
  '123',
  '1234',
  '12345',
  '89101',
  '89101 1234',
  '891011234',
  '8910',
  '4242 4242-4242 4242',
  '4242424242424241',
  '3782-822463-10005',
  'Abcdef1!',
  'abcdef1!',
  ' Abcdef1! ',
  `Abcdef1!${'x'.repeat(993)}`,
  'jane-doe',
  'solved',
  ...[30, 31, 50, 51, 255, 256, 1001].flatMap((length) =>
    ['a', '𠮷', ' ', '7'].map((character) => character.repeat(length)),
  ),
  ...fuzzTexts,
]

test.each(Object.keys(fields) as (keyof Fields)[])('14.5 the browser’s small zod agrees with zod about %s', (name) => {
  for (const value of [undefined, ...texts])
    expect([value, resultOf(lean[name], value)]).toEqual([value, resultOf(fields[name], value)])
})

test('14.5 the comparison really uses the small zod', () => {
  expect(lean.first_name).not.toBe(fields.first_name)
  expect('_zod' in lean.first_name).toBe(false)
})

function resultOf(rule: Fields[keyof Fields], value: unknown) {
  const { success, data, error } = rule.safeParse(value)
  return success ? { data } : { messages: error.issues.map(({ message }) => message) }
}
