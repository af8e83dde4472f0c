import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { LegalDocument } from '#contract/api.ts'
import type { StartData, Step } from '#contract/start.ts'
import { EnrollPage } from '../EnrollPage.tsx'
import { createSteps } from '../steps.ts'
import type { State } from '../wizard/state.ts'
import { createWizard } from '../wizard/wizard.ts'
import { Agreements } from './payment/Agreements.tsx'
import type { PaymentForm } from './payment/form.ts'

// What the owner's specification puts on each screen. Journeys press its buttons.

const start = {
  sponsor: { site: 'ana', active: 'Yes', name: 'Ana' },
  policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: true },
  packages: [
    {
      product_id: 34,
      name: 'Founding',
      image_url: '/assets/packages/34.svg',
      price: '99.00',
      renewal_price: '99.00',
      billing_interval: 'month',
      is_recurring: false,
      is_special: false,
    },
  ],
  product_id: 34,
  grand_total: '99.00',
  renews_on: { month: '2026-12-15', year: '2027-11-15' },
} as StartData

const draft = { product_ids: '34', mobile_phone: '+12025550123', password: 'Quiet-Harbor-27' }

/** The page of a visitor who has come to a step. */
async function show(step: Step, change: Partial<State> = {}) {
  const steps = createSteps()
  await steps.load(step)
  const wizard = createWizard({ start, steps })
  wizard.update({ step, draft, renderedDraft: draft, ...change })
  return renderToStaticMarkup(<EnrollPage wizard={wizard} steps={steps} />).replaceAll('&amp;', '&')
}

const names = (html: string) => [...html.matchAll(/<(?:input|select)[^>]* name="(\w+)"/g)].map(([, name]) => name)
const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const optionsOf = (html: string, name: string) => {
  const [, options = ''] = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`).exec(html) ?? []
  const texts = [...options.matchAll(/<option[^>]*>([^<]*)/g)].map(([, text]) => text)
  return { texts, chosen: /value="(\w*)"[^>]* selected=""/.exec(options)?.[1] }
}

beforeAll(() => {
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync = () => undefined
    },
  )
  vi.stubGlobal(
    'MutationObserver',
    class {
      observe = () => undefined
    },
  )
  vi.stubGlobal('document', { adoptedStyleSheets: [], querySelector: () => null, getElementById: () => null })
})
afterAll(() => vi.unstubAllGlobals())

test('13.3 13.2 CODE_VERIFICATION shows the number, a way to change it, and a field for the code', async () => {
  const html = await show('CODE_VERIFICATION')
  expect(textOf(html)).toContain('Mobile phone number: +1 (202) 555-0123')
  expect(html).toContain('>Edit Phone Number</button>')
  expect(html).toMatch(/<input[^>]* autoComplete="one-time-code"[^>]* name="code"/)
})

test('25.6 ACCOUNT_CREATION asks for email, username and password, which is hidden', async () => {
  const html = await show('ACCOUNT_CREATION')
  expect(names(html)).toEqual(['email', 'username', 'password'])
  expect(html).toMatch(/<input[^>]* type="password"[^>]* name="password"/)
})

test('10.17 12.15 11.7 25.7 PAYMENT has the address, the card, the picture, the total, two agreements and a captcha', async () => {
  const html = await show('PAYMENT')
  expect(names(html)).toEqual([
    ...['country', 'address', 'address2', 'city', 'state', 'post_code'],
    ...['cc_number', 'cc_month', 'cc_year', 'cc_cvv', 'agreement_1', 'agreement_2', 'captcha'],
  ])
  expect(optionsOf(html, 'country')).toEqual({ texts: ['Select Country', 'United States'], chosen: 'US' })
  expect(optionsOf(html, 'state').texts.slice(0, 2)).toEqual(['Select a state', 'Alabama'])
  expect(html).toMatch(/<summary><img src="\/assets\/packages\/34\.svg" alt="Founding"/)
  const text = textOf(html)
  for (const shown of [
    'Total today $99.00',
    'You pay $99.00 today and $99.00 each month until you cancel.',
    'We accept Visa, Mastercard, American Express and Discover.',
    'I agree that my card is charged $99.00 today and $99.00 every month until I cancel.',
    'not a robot',
    'Confirm and Pay $99.00',
  ])
    expect(text).toContain(shown)
})

test('10.7 the box for the legal documents names each of them, as a button that opens a dialog', () => {
  const form: PaymentForm = { field: (name) => ({ name, defaultValue: '', error: undefined }) }
  const list = ['Terms', 'Privacy', 'Agreement'].map((title, id) => ({ id, title }) as unknown as LegalDocument)
  const documents = { list, state: 'loaded' as const, fetchAgain: () => undefined }
  const html = renderToStaticMarkup(<Agreements form={form} documents={documents} consent="I agree." />)
  expect(html.match(/aria-haspopup="dialog">\w+/g)).toHaveLength(3)
  expect(textOf(html)).toContain('I have read and agree to the Terms , the Privacy and the Agreement .')
})

test.each<Step>(['PRODUCT_SELECTION', 'ACCOUNT', 'ACCOUNT_CREATION', 'PAYMENT'])(
  '13.5 while the total cannot be loaded, no action of %s works',
  async (step) => {
    const actions = (html: string) =>
      [...html.matchAll(/<button[^>]*(?:type="submit"|class="button quiet")[^>]*>/g)].map(([tag]) =>
        tag.includes('disabled=""'),
      )
    expect(actions(await show(step))).not.toContain(true)
    const stopped = actions(await show(step, { stop: 'total-not-loaded', grand_total: undefined }))
    expect(stopped).not.toContain(false)
    expect(stopped.length).toBeGreaterThan(0)
  },
)
