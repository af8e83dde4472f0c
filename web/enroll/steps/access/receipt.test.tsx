import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Receipt as ReceiptData } from '#web/storage.ts'
import { Receipt, referenceOf } from './Receipt.tsx'

const receipt = {
  lines: [{ name: 'Founding Membership', price: '99.00' }],
  total: '99.00',
  paid_on: '2026-11-15',
  renews_on: '2026-12-15',
  card: { brand: 'Visa', last_four: '4242' },
} as unknown as ReceiptData

test('10.21 the welcome’s receipt names the card', () => {
  const html = renderToStaticMarkup(<Receipt receipt={receipt} />)
  expect(html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain('Paid with Visa ending in 4242')
})

test('10.21 the welcome’s reference is the one that the server gives the payment', async () => {
  const key = { enrollment_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', attempt: 2 }
  expect(await referenceOf(key)).toBe('ej8fltttakddb85cekha')
})
