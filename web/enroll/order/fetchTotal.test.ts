import { afterEach, expect, test, vi } from 'vitest'
import type { StartData, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { askSum, leadToShelf } from './fetchTotal.ts'

afterEach(() => vi.unstubAllGlobals())

const gone = ['This package is not available.']
const still = [{ product_id: 35 }]

/** A server that offers what is still there, and has this to say of every order. */
const serve = (status: number, said: object, offered: object[] = still) =>
  vi.stubGlobal('fetch', async (url: string) =>
    url.includes('orders') ? Response.json(said, { status }) : Response.json(offered),
  )

const wizardWith = (draft: Draft, step: Step = 'PRODUCT_SELECTION', packages: object[] = []) => ({
  start: { packages } as unknown as StartData,
  step,
  draft,
  sumAfresh: vi.fn(async (_packages: unknown, _draft: Draft) => undefined),
  returnTo: vi.fn(),
})

test.each([
  ['product_ids', 'PRODUCT_SELECTION'],
  ['autoship_product_ids', 'AUTOSHIP'],
  ['special_product_ids', 'SPECIAL'],
] as const)('10.14 a withdrawn package of %s leaves the order, and is told at %s', async (list, step) => {
  serve(200, {})
  const draft = { product_ids: '34', autoship_product_ids: '41', special_product_ids: '51' }
  const wizard = wizardWith(draft)
  expect(await leadToShelf(wizard, draft, { [list]: gone })).toBe(true)
  expect(wizard.sumAfresh).toHaveBeenCalledExactlyOnceWith(still, { ...draft, [list]: '' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith(step, list, { [list]: gone })
})

test('10.14 who chooses a withdrawn package keeps the one of before, and stays', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: gone } })
  const wizard = wizardWith({ product_ids: '34', first_name: 'Zoë' })
  const sum = await askSum(wizard, { ...wizard.draft, product_ids: '36' }, () => true)
  expect(sum).toBeUndefined()
  const kept = { product_ids: '34', autoship_product_ids: '', special_product_ids: '', first_name: 'Zoë' }
  expect(wizard.sumAfresh).toHaveBeenCalledExactlyOnceWith(still, kept)
})

test('10.14 a choice stays when it was another package that is gone', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { autoship_product_ids: gone } })
  const wizard = wizardWith({ product_ids: '34', autoship_product_ids: '41' })
  await askSum(wizard, { ...wizard.draft, product_ids: '35' }, () => true)
  const left = { product_ids: '35', autoship_product_ids: '', special_product_ids: '' }
  expect(wizard.sumAfresh).toHaveBeenCalledExactlyOnceWith(still, left)
})

test('10.14 what was typed meanwhile stays, and it is told although the order is no longer the one that was asked for', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: gone } })
  const wizard = wizardWith({ product_ids: '34' })
  const asked = wizard.draft
  wizard.draft = { ...asked, email: 'zoe@mail.example' }
  const isWanted = () => wizard.draft.product_ids === asked.product_ids
  wizard.sumAfresh.mockImplementation(async (_packages, draft) => {
    wizard.draft = draft
  })
  await askSum(wizard, asked, isWanted)
  expect(wizard.draft).toMatchObject({ product_ids: '', email: 'zoe@mail.example' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith('PRODUCT_SELECTION', 'product_ids', { product_ids: gone })
})

test('who has gone elsewhere meanwhile is not led back', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: gone } })
  const wizard = wizardWith({ product_ids: '34' })
  await askSum(wizard, wizard.draft, () => false)
  expect(wizard.returnTo).not.toHaveBeenCalled()
})

const at = (price: string) => [
  { product_id: 34, is_recurring: false, is_special: false, price: '99.00' },
  { product_id: 35, is_recurring: false, is_special: false, price },
]

test('a sum that the lines add up to is the answer', async () => {
  serve(200, { grand_total: '149.00' })
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', at('149.00'))
  expect(await askSum(wizard, { product_ids: '35' }, () => true)).toBe('149.00')
  expect(wizard.sumAfresh).not.toHaveBeenCalled()
})

test('10.12 who chooses a package that costs something else by now is shown its price, and chooses again', async () => {
  serve(200, { grand_total: '159.00' }, at('159.00'))
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', at('149.00'))
  expect(await askSum(wizard, { product_ids: '35' }, () => true)).toBeUndefined()
  expect(wizard.sumAfresh).toHaveBeenCalledExactlyOnceWith(at('159.00'), { product_ids: '34' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith('PRODUCT_SELECTION', 'product_ids', {
    product_ids: ['Your order comes to $159.00 now, not $149.00. Please choose again.'],
  })
})

test('10.12 after the choice the new price is only shown: nobody is led away', async () => {
  serve(200, { grand_total: '159.00' }, at('159.00'))
  const wizard = wizardWith({ product_ids: '35' }, 'ACCOUNT', at('149.00'))
  expect(await askSum(wizard, wizard.draft, () => true)).toBeUndefined()
  expect(wizard.sumAfresh).toHaveBeenCalledExactlyOnceWith(at('159.00'), { product_ids: '35' })
  expect(wizard.returnTo).not.toHaveBeenCalled()
})

test.each([
  ['packages that cannot be had anew leave the total, which is right', at('149.00'), true, '159.00'],
  ['who has gone elsewhere meanwhile hears nothing of a price', at('159.00'), false, undefined],
])('%s', async (_, offered, isWanted, sum) => {
  serve(200, { grand_total: '159.00' }, offered)
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', at('149.00'))
  expect(await askSum(wizard, { product_ids: '35' }, () => isWanted)).toBe(sum)
  expect(wizard.sumAfresh).not.toHaveBeenCalled()
})

test.each([
  ['a refusal of something else', 422, { message: 'Please wait.', fields: {} }],
  ['a server that is not well', 500, {}],
])('%s is thrown', async (_, status, said) => {
  serve(status, said)
  await expect(askSum(wizardWith({}), {}, () => true)).rejects.toThrow()
})
