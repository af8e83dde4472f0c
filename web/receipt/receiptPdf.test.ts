import { expect, test } from 'vitest'
import { encodeText, textWidth } from './helvetica.ts'
import type { DrawText } from './pdfPage.ts'
import { type ReceiptContent, receiptPdf, wrap } from './receiptPdf.ts'

const drawn: string[] = []
const draw: DrawText = (text) => {
  drawn.push(text)
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)
  return { jpeg, pixels: { width: 100, height: 20 }, width: 50, height: 10, baseline: 3 }
}
const content: ReceiptContent = {
  title: 'Receipt',
  url: 'https://a.example',
  operator: { name: 'Foyer LLC', address: '1 Main Street', support: { href: '', text: 'help@a.example' } },
  facts: [
    ['Member', 'Zoë Müller'],
    ['Reference', 'r7'],
  ],
  lines: [['Founding Membership', '$99.00']],
  totals: [['Total paid', '$99.00']],
  notes: ['The membership renews on December 15, 2026 for $99.00 a month, until it is canceled.'],
}
const pdfOf = (changes: Partial<ReceiptContent> = {}) => {
  drawn.length = 0
  return Buffer.from(receiptPdf({ ...content, ...changes }, draw)).toString('latin1')
}
/** The texts on the page, decoded. */
const textsIn = (pdf: string) =>
  [...pdf.matchAll(/<([0-9a-f]*)> Tj/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))

test('15.21 a receipt is a PDF whose table of objects is right', () => {
  const pdf = pdfOf()
  expect(pdf).toMatch(/^%PDF-1\.7\n.*%%EOF\n$/s)
  const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1])
  expect(pdf.slice(start, start + 5)).toBe('xref\n')
  const offsets = [...pdf.slice(start).matchAll(/(\d{10}) 00000 n /g)].map(([, offset]) => Number(offset))
  expect(offsets).toHaveLength(7)
  offsets.forEach((offset, index) => {
    expect(pdf.slice(offset).startsWith(`${index + 1} 0 obj\n`)).toBe(true)
  })
  const [, length, stream] = /\/Length (\d+)>>\nstream\n(.*?)\nendstream/s.exec(pdf) ?? []
  expect(stream).toHaveLength(Number(length))
})

test('15.21 a receipt has the operator, the member, the reference, the lines, the total and what renews', () => {
  const texts = textsIn(pdfOf())
  for (const text of [
    'Foyer LLC, 1 Main Street',
    'https://a.example · help@a.example',
    'Foyer',
    'Zoë Müller',
    'r7',
    'Founding Membership',
    '$99.00',
    'Total paid',
    ...content.notes,
  ])
    expect(texts).toContain(text)
  expect(drawn).toEqual([])
})

test.each(['李小龙', 'Олена Шевченко', 'محمد علي', 'עמית', 'Łukasz', 'สมชาย', '😀'])(
  '15.21 the name %s is drawn, and can be copied as text',
  (name) => {
    const pdf = pdfOf({ facts: [['Member', name]] })
    expect(drawn).toEqual([name])
    expect(pdf).toContain('/Subtype/Image/Width 100/Height 20')
    const actual = /\/ActualText <feff([0-9a-f]+)>/.exec(pdf)?.[1] ?? ''
    expect(Buffer.from(actual, 'hex').swap16().toString('utf16le')).toBe(name)
  },
)

test('15.21 no name can break the file', () => {
  const name = ')> Tj ET (\\ endstream endobj'
  const pdf = pdfOf({ facts: [['Member', name]] })
  expect(textsIn(pdf)).toContain(name)
  expect(pdf.match(/endstream/g)).toHaveLength(1)
})

test('15.21 forty lines, five refunds and long terms fill three pages, each with the operator', () => {
  const totals = Array.from({ length: 7 }, (_, index): [string, string] => [`Refund ${index}`, '-$1.00'])
  const lines = Array.from({ length: 40 }, (_, index): [string, string, string] => [
    `Package ${index}`,
    '$1.00',
    'Visa',
  ])
  const pdf = pdfOf({ lines, totals, notes: ['a', `Refunds: ${'Some words. '.repeat(50)}`] })
  expect(pdf).toContain('/Count 4')
  const texts = textsIn(pdf)
  expect(texts.filter((text) => text === 'Foyer LLC, 1 Main Street')).toHaveLength(4)
  expect(texts).toContain('Receipt, page 4')
  for (const [name] of lines) expect(texts).toContain(name)
  const heights = [...pdf.matchAll(/[\d.]+ ([\d.-]+) Td/g)].map(([, y]) => Number(y))
  expect(heights.filter((y) => y < 46)).toEqual([])
  const inFoot = heights.filter((y) => y < 80)
  expect(inFoot, 'nothing else is in the foot').toHaveLength(8)
})

test('15.21 a long text is wrapped where it fits', () => {
  expect(wrap('one two three', { size: 10, maxWidth: textWidth('one two', 'regular', 10) })).toEqual([
    'one two',
    'three',
  ])
})

test('15.21 a long text is set smaller, and amounts end at the same place', () => {
  const pdf = pdfOf({
    facts: [['Member', 'x'.repeat(300)]],
    lines: [
      ['A', '$1.00'],
      ['B', '$1,000.00'],
    ],
  })
  const size = Number(new RegExp(`/regular ([\\d.]+) Tf [\\d.]+ [\\d.]+ Td <${'78'.repeat(300)}>`).exec(pdf)?.[1])
  expect(textWidth('x'.repeat(300), 'regular', size)).toBeCloseTo(388, 0)
  const ends = ['$1.00', '$1,000.00'].map((amount) => {
    const hex = Buffer.from(amount).toString('hex')
    const left = Number(new RegExp(`Tf ([\\d.]+) [\\d.]+ Td <${hex}>`).exec(pdf)?.[1])
    return left + textWidth(amount, 'regular', 12)
  })
  expect(ends[0]).toBeCloseTo(ends[1] ?? 0, 1)
})

test('15.21 typographic characters are text, others are not', () => {
  expect(encodeText('’–€é')).toEqual([0x92, 0x96, 0x80, 0xe9])
  expect(encodeText('e\u0301')).toEqual([0xe9])
  expect(encodeText('Ł')).toBeUndefined()
  expect(encodeText('\n')).toBeUndefined()
})
