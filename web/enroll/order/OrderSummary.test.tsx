import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { StartData } from '#contract/start.ts'
import { OrderSummary } from './OrderSummary.tsx'

const packages = [
  { product_id: 34, name: 'Founding Membership', price: '99.00', is_recurring: false, is_special: false },
] as StartData['packages']

/** The text that a screen reader finds. */
const readAloud = (total: { grand_total: string | undefined; hasFailed: boolean }) =>
  renderToStaticMarkup(
    <OrderSummary
      step="ACCOUNT"
      draft={{ product_ids: '34' }}
      packages={packages}
      renews_on="2026-12-15"
      onChange={() => undefined}
      {...total}
    />,
  )
    .replace(/<span[^>]*aria-hidden="true"[^>]*>[^<]*<\/span>/g, '')
    .replace(/<[^>]*>/g, ' ')

test('a total that is being calculated is described in words, not as zero dollars', () => {
  expect(readAloud({ grand_total: '99.00', hasFailed: false })).toContain('$99.00')
  const pending = readAloud({ grand_total: undefined, hasFailed: false })
  expect(pending).not.toContain('$00.00')
  expect(pending).toContain('(calculating)')
})

test('a total that could not be loaded is a dash', () => {
  expect(readAloud({ grand_total: undefined, hasFailed: true })).toMatch(/Total today\s+–/)
})
