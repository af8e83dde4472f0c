import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { consentText } from '#contract/legal.ts'
import type { Policy, StartData, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { OrderSummary } from './OrderSummary.tsx'

const packages = [
  { product_id: 34, name: 'Founding', price: '99.00', renewal_price: '99.00', is_recurring: false, is_special: false },
  { product_id: 41, name: 'Parcel', price: '24.00', renewal_price: '24.00', is_recurring: true, is_special: false },
  { product_id: 36, name: 'Day pass', price: '15.00', is_recurring: false, is_special: false },
  { product_id: 51, name: 'Seat', price: '49.00', is_recurring: false, is_special: true },
] as StartData['packages']

/** The text that a screen reader finds. */
const readAloud = (
  total: { grand_total: string | undefined; hasFailed: boolean },
  draft: Draft = { product_ids: '34' },
  step: Step = 'ACCOUNT',
  policy: Policy = { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
  offers = packages,
) =>
  renderToStaticMarkup(
    <OrderSummary
      step={step}
      draft={draft}
      packages={offers}
      renews_on={{ month: '2026-12-15', year: '2027-11-15' }}
      policy={policy}
      onChange={() => undefined}
      {...total}
    />,
  )
    .replace(/<span[^>]*aria-hidden="true"[^>]*>[^<]*<\/span>/g, '')
    .replace(/<[^>]*>/g, ' ')

test('a total that is being calculated is described in words, not as zero dollars', () => {
  expect(readAloud({ grand_total: '99.00', hasFailed: false })).toContain('$99.00')
  const pending = readAloud({ grand_total: undefined, hasFailed: false })
  expect(pending).not.toContain('$0.00')
  expect(pending).toContain('(calculating)')
})

test('13.7 a total that could not be loaded reads $0.00, and so does an order without a package', () => {
  expect(readAloud({ grand_total: undefined, hasFailed: true })).toMatch(/Total today\s+\$0\.00/)
  const empty = readAloud({ grand_total: '0.00', hasFailed: false }, {}, 'PRODUCT_SELECTION')
  expect(empty).toMatch(/No package chosen yet[\s\S]*Total today\s+\$0\.00/)
})

test('13.8 a recurring package says what it costs a month, and is part of what renews', () => {
  const draft = { product_ids: '34', autoship_product_ids: '41', special_product_ids: '51' }
  const order = readAloud({ grand_total: '172.00', hasFailed: false }, draft)
  expect(order).toMatch(/Parcel\s+\$24\.00 a month/)
  expect(order).toMatch(/Seat\s+\(one\u00a0time\)\s+\$49\.00/)
  expect(readAloud({ grand_total: '99.00', hasFailed: false })).toMatch(/today, then monthly/)
  expect(order).toMatch(/today, then \$123\.00 a month[\s\S]*Then monthly, from Dec 15/)
})

test('13.8 a package that is paid once does not speak of a month', () => {
  const order = readAloud({ grand_total: '15.00', hasFailed: false }, { product_ids: '36' })
  expect(order).toMatch(/\$15\.00\s+once/)
  expect(order).not.toMatch(/month/)
})

test('26.1 where the host does not say what renews, a price is "today", never "once" or "a month"', () => {
  const offers = packages.map((offer) => {
    const { renewal_price: _, ...rest } = { ...offer, billing_interval: 'unknown' as const }
    return rest
  })
  const draft = { product_ids: '34', autoship_product_ids: '41' }
  const order = readAloud({ grand_total: '123.00', hasFailed: false }, draft, 'ACCOUNT', undefined, offers)
  expect(order).toMatch(/\$123\.00\s+today/)
  expect(order).toMatch(/Parcel\s+\$24\.00/)
  expect(order).not.toMatch(/once|one\stime|month/)
  expect(consentText('123.00', '0.00', 'unknown')).toBe(
    'I agree that my card is charged $123.00 today, and later as the terms above say.',
  )
})

test('13.6 every step on which something is chosen has a way back to it, and a step that is off has none', () => {
  const total = { grand_total: '99.00', hasFailed: false }
  const changes = (autoship: boolean, special: boolean) => {
    const policy: Policy = { start_step: 'ACCOUNT', autoship, special, phone_verification: false }
    const html = readAloud(total, { product_ids: '34' }, 'PAYMENT', policy)
    return [...html.replace(/\s+/g, ' ').matchAll(/Change (package|add-ons|special offer)/g)].map(([, what]) => what)
  }
  expect(changes(false, false)).toEqual(['package'])
  expect(changes(true, true)).toEqual(['package', 'add-ons', 'special offer'])
  const all: Policy = { start_step: 'ACCOUNT', autoship: true, special: true, phone_verification: false }
  expect(readAloud(total, { product_ids: '34' }, 'PAYMENT', all)).toMatch(
    /Add-ons\s+Change\s+add-ons\s+Special offer\s+Change\s+special offer\s+Total today/,
  )
})
