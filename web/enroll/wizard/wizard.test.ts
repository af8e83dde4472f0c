import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StartData, Step } from '#contract/start.ts'
import * as rules from './rules.ts'
import { createWizard } from './wizard.ts'

const start = {
  policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
  packages: [{ product_id: 34, price: '99.00', is_recurring: false, is_special: false }],
  product_id: 34,
  grand_total: '99.00',
  renews_on: { month: '2026-12-15', year: '2027-11-15' },
} as unknown as StartData

const answers = { first_name: 'Zoë', last_name: 'Kim', mobile_phone: '+12025550123' }

/** A wizard whose later steps load when the test says so. */
function wizardWith(load: (step: Step) => Promise<void> = async () => undefined) {
  const loaded = new Set<Step>(['ACCOUNT', 'PRODUCT_SELECTION'])
  const steps = {
    isLoaded: (step: Step) => loaded.has(step),
    load: async (step: Step) => {
      await load(step)
      loaded.add(step)
    },
    loadRules: () => rules,
    loadNext: async () => undefined,
  }
  return createWizard({ start, steps })
}

beforeEach(() => {
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('document', { querySelector: () => null, getElementById: () => null })
  vi.stubGlobal('history', {
    state: null,
    pushState: (entry: unknown) => Object.assign(history, { state: entry }),
    replaceState: (entry: unknown) => Object.assign(history, { state: entry }),
  })
})
afterEach(() => vi.unstubAllGlobals())

test('12.1 a valid step leads to the next one, with a history entry that names the step before', async () => {
  const wizard = wizardWith()
  await wizard.advance(answers)
  expect(wizard.getState()).toMatchObject({ step: 'ACCOUNT_CREATION', draft: answers, moves: 1 })
  expect(history.state).toEqual({ step: 'ACCOUNT_CREATION', from: 'ACCOUNT' })
})

test('12.14 a step that cannot be loaded keeps the answers and says so', async () => {
  const wizard = wizardWith(() => Promise.reject(new TypeError('Failed to fetch')))
  await wizard.advance(answers)
  expect(wizard.getState()).toMatchObject({ step: 'ACCOUNT', stop: 'step-not-loaded' })
})

test('12.16 a step that failed to load is loaded again even if the network is already back', async () => {
  const failures = [new TypeError('Failed to fetch')]
  const wizard = wizardWith(async () => {
    const failure = failures.pop()
    if (failure) throw failure
  })
  await wizard.advance(answers)
  expect(wizard.getState()).toMatchObject({ step: 'ACCOUNT_CREATION', draft: answers, stop: undefined })
})

test('12.16 while the browser is offline, Next says so and goes on by itself', async () => {
  const browser = Object.assign(new EventTarget(), { onLine: false })
  vi.stubGlobal('navigator', browser)
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser))
  const wizard = wizardWith(async () => {
    if (!browser.onLine) throw new TypeError('Failed to fetch')
  })
  const advanced = wizard.advance(answers)
  await vi.waitFor(() => expect(wizard.getState()).toMatchObject({ step: 'ACCOUNT', stop: 'offline' }))
  browser.onLine = true
  browser.dispatchEvent(new Event('online'))
  await advanced
  expect(wizard.getState()).toMatchObject({ step: 'ACCOUNT_CREATION', draft: answers, stop: undefined })
})

test('12.2 a visitor who goes elsewhere while a step loads stays there', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wizard = wizardWith((step) => (step === 'ACCOUNT_CREATION' ? promise : Promise.resolve()))
  const advanced = wizard.advance(answers)
  wizard.returnTo('PRODUCT_SELECTION')
  resolve()
  await advanced
  expect(wizard.getState().step).toBe('PRODUCT_SELECTION')
})

test('12.2 Forward never passes an invalid step', async () => {
  const wizard = wizardWith()
  await wizard.followHistory({ step: 'PAYMENT' })
  expect(wizard.getState().step).toBe('ACCOUNT')
  expect(history.state).toEqual({ step: 'ACCOUNT' })
})

test('10.12 when the packages have changed, the old total is no longer shown', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ grand_total: '109.00' }))
  const wizard = wizardWith()
  const packages = start.packages.map((offer) => ({ ...offer, price: '109.00' }))
  const refreshed = wizard.refreshOrder(packages, wizard.getState().draft)
  expect(wizard.getState().grand_total).toBeUndefined()
  await refreshed
  expect(wizard.getState().grand_total).toBe('109.00')
})

test('13.6 a choice replaces the one before, and resets the consent', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ grand_total: '99.00' }))
  const wizard = wizardWith()
  wizard.update({ draft: { product_ids: '35', autoship_product_ids: '41', agreement_2: '1' } })
  await wizard.choosePackage('product_ids', '34')
  const { draft, step } = wizard.getState()
  expect(draft).toEqual({ product_ids: '34', autoship_product_ids: '41', agreement_2: '' })
  expect(step).toBe('ACCOUNT_CREATION')
})

test('subscribers are notified of every change until they unsubscribe', () => {
  const wizard = wizardWith()
  const listener = vi.fn()
  const unsubscribe = wizard.subscribe(listener)
  wizard.update({ stop: 'step-not-loaded' })
  unsubscribe()
  wizard.update({ stop: undefined })
  expect(listener).toHaveBeenCalledTimes(1)
})
