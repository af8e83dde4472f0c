import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { OrderSummary } from './OrderSummary.tsx'

const wizard = {
  step: 'ACCOUNT',
  draft: { product_ids: '34' },
  start: {
    packages: [{ product_id: 34, name: 'Founding Membership', price: '99.00', is_recurring: false, is_special: false }],
    renews_on: '2026-12-15',
  },
} as unknown as Wizard

/** What a screen reader finds. */
const heard = (more: Partial<Wizard>) =>
  renderToStaticMarkup(<OrderSummary wizard={{ ...wizard, ...more }} />)
    .replace(/<span[^>]*aria-hidden="true"[^>]*>[^<]*<\/span>/g, '')
    .replace(/<[^>]*>/g, ' ')

test('a sum that is being worked out is told in words, not as no dollars', () => {
  expect(heard({ grand_total: '99.00' })).toContain('$99.00')
  const waiting = heard({ grand_total: undefined })
  expect(waiting).not.toContain('$00.00')
  expect(waiting).toContain('an amount that is being worked out')
})

test('a sum that could not be had is a dash', () => {
  expect(heard({ grand_total: undefined, stop: 'unsummed' })).toMatch(/Total today\s+–/)
})
