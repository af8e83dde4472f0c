import { afterEach, expect, test, vi } from 'vitest'
import type { StartData, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { fetchPackages, fetchTotal, goToRejectedPackage } from './fetchTotal.ts'

afterEach(() => vi.unstubAllGlobals())

const messages = ['This package is not available.']
const currentOffers = [{ product_id: 35 }]

/** A server with these offers, and this reply to every order. */
const serve = (status: number, reply: object, offers: object[] = currentOffers) =>
  vi.stubGlobal('fetch', async (url: string) =>
    url.includes('orders') ? Response.json(reply, { status }) : Response.json(offers),
  )

const wizardWith = (draft: Draft, step: Step = 'PRODUCT_SELECTION', offers: object[] = []) => {
  const packages = offers as StartData['packages']
  const state = { draft, step, packages }
  return {
    start: { policy: {} },
    state,
    getState: () => state,
    refreshOrder: vi.fn(async (_packages: unknown, _draft: Draft) => undefined),
    returnTo: vi.fn(),
  }
}

test.each([
  ['product_ids', 'PRODUCT_SELECTION'],
  ['autoship_product_ids', 'AUTOSHIP'],
  ['special_product_ids', 'SPECIAL'],
] as const)('10.14 a withdrawn package of %s is removed from the order, and reported at %s', async (list, step) => {
  serve(200, {})
  const draft = { product_ids: '34', autoship_product_ids: '41', special_product_ids: '51' }
  const wizard = wizardWith(draft)
  expect(await goToRejectedPackage(wizard, draft, { [list]: messages })).toBe(true)
  expect(wizard.refreshOrder).toHaveBeenCalledExactlyOnceWith(currentOffers, { ...draft, [list]: '' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith(step, list, { [list]: messages })
})

test('10.14 choosing a withdrawn package keeps the last choice, and stays', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: messages } })
  const wizard = wizardWith({ product_ids: '34', first_name: 'Zoë' })
  const total = await fetchTotal(wizard, { ...wizard.state.draft, product_ids: '36' }, () => true)
  expect(total).toBeUndefined()
  const draft = { product_ids: '34', autoship_product_ids: '', special_product_ids: '', first_name: 'Zoë' }
  expect(wizard.refreshOrder).toHaveBeenCalledExactlyOnceWith(currentOffers, draft)
})

test('10.14 a choice stays if another package was withdrawn', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { autoship_product_ids: messages } })
  const wizard = wizardWith({ product_ids: '34', autoship_product_ids: '41' })
  await fetchTotal(wizard, { ...wizard.state.draft, product_ids: '35' }, () => true)
  const draft = { product_ids: '35', autoship_product_ids: '', special_product_ids: '' }
  expect(wizard.refreshOrder).toHaveBeenCalledExactlyOnceWith(currentOffers, draft)
})

test('10.14 answers typed in the meantime stay, and the withdrawal is reported although the order has changed', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: messages } })
  const wizard = wizardWith({ product_ids: '34' })
  const orderedDraft = wizard.state.draft
  wizard.state.draft = { ...orderedDraft, email: 'zoe@mail.example' }
  const isCurrent = () => wizard.state.draft.product_ids === orderedDraft.product_ids
  wizard.refreshOrder.mockImplementation(async (_packages, draft) => {
    wizard.state.draft = draft
  })
  await fetchTotal(wizard, orderedDraft, isCurrent)
  expect(wizard.state.draft).toMatchObject({ product_ids: '', email: 'zoe@mail.example' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith('PRODUCT_SELECTION', 'product_ids', { product_ids: messages })
})

test('a visitor who has moved on is not sent back', async () => {
  serve(422, { message: 'Please check the marked fields.', fields: { product_ids: messages } })
  const wizard = wizardWith({ product_ids: '34' })
  await fetchTotal(wizard, wizard.state.draft, () => false)
  expect(wizard.returnTo).not.toHaveBeenCalled()
})

const offersAt = (price: string) => [
  { product_id: 34, is_recurring: false, is_special: false, price: '99.00' },
  { product_id: 35, is_recurring: false, is_special: false, price },
]

test('a total that matches the shown prices is returned', async () => {
  serve(200, { grand_total: '149.00' })
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', offersAt('149.00'))
  expect(await fetchTotal(wizard, { product_ids: '35' }, () => true)).toBe('149.00')
  expect(wizard.refreshOrder).not.toHaveBeenCalled()
})

test('10.12 choosing a package whose price has changed shows the new price, and asks to choose again', async () => {
  serve(200, { grand_total: '159.00' }, offersAt('159.00'))
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', offersAt('149.00'))
  expect(await fetchTotal(wizard, { product_ids: '35' }, () => true)).toBeUndefined()
  expect(wizard.refreshOrder).toHaveBeenCalledExactlyOnceWith(offersAt('159.00'), { product_ids: '34' })
  expect(wizard.returnTo).toHaveBeenCalledExactlyOnceWith('PRODUCT_SELECTION', 'product_ids', {
    product_ids: ['Your order now costs $159.00, not $149.00. Please choose again.'],
  })
})

test('10.12 on a later step the new price is only shown', async () => {
  serve(200, { grand_total: '159.00' }, offersAt('159.00'))
  const wizard = wizardWith({ product_ids: '35' }, 'ACCOUNT', offersAt('149.00'))
  expect(await fetchTotal(wizard, wizard.state.draft, () => true)).toBeUndefined()
  expect(wizard.refreshOrder).toHaveBeenCalledExactlyOnceWith(offersAt('159.00'), { product_ids: '35' })
  expect(wizard.returnTo).not.toHaveBeenCalled()
})

test('13.5 packages that cannot be loaded again are an error', async () => {
  vi.stubGlobal('fetch', async (url: string) =>
    url.includes('orders') ? Response.json({ grand_total: '159.00' }) : Response.json({}, { status: 500 }),
  )
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', offersAt('149.00'))
  await expect(fetchTotal(wizard, { product_ids: '35' }, () => true)).rejects.toThrow()
  expect(wizard.refreshOrder).not.toHaveBeenCalled()
})

test.each([
  ['a price that changed back in the meantime counts', offersAt('149.00'), true, '159.00'],
  ['a visitor who has moved on is not told about a price', offersAt('159.00'), false, undefined],
])('%s', async (_, offers, isCurrent, total) => {
  serve(200, { grand_total: '159.00' }, offers)
  const wizard = wizardWith({ product_ids: '34' }, 'PRODUCT_SELECTION', offersAt('149.00'))
  expect(await fetchTotal(wizard, { product_ids: '35' }, () => isCurrent)).toBe(total)
  expect(wizard.refreshOrder).not.toHaveBeenCalled()
})

test.each([
  ['a rejection of something else', 422, { message: 'Please wait.', fields: {} }],
  ['a server error', 500, {}],
])('%s is thrown', async (_, status, reply) => {
  serve(status, reply)
  await expect(fetchTotal(wizardWith({}), {}, () => true)).rejects.toThrow()
})

test('25.13 the packages are asked for in the category and language of the settings', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json([])
  })
  await fetchPackages({})
  await fetchPackages({ catalog: { product_category_id: 18, language_id: 2, starter_product_id: 35 } })
  expect(asked.map((url) => url.split('?')[1])).toEqual([
    'product_category_id=17&language_id=1',
    'product_category_id=18&language_id=2',
  ])
})
