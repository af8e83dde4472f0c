import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createByteSearch, searchAreas } from './byte-search.ts'
import { fragmentExamples } from './cvc-fragments.ts'
import { encodingsOf } from './encodings.ts'
import { createFieldIndex, suspiciousFields } from './field-names.ts'
import { createTestCards, type TestCard } from './test-cards.ts'

const cards = createTestCards(12)
const [card] = cards as [TestCard]
const search = createByteSearch(cards)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-finder-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const body = (card: TestCard) => JSON.stringify({ cc_number: card.cc_number, password: card.password, x: 'é' })

it.each([
  ['as plain text', (card: TestCard) => body(card)],
  ['as JSON in JSON', (card: TestCard) => JSON.stringify(body(card))],
  ['as a form', (card: TestCard) => new URLSearchParams({ n: card.cc_number, p: card.password }).toString()],
  ['in hex', (card: TestCard) => Buffer.from(body(card)).toString('hex')],
  ['in capital hex', (card: TestCard) => Buffer.from(body(card)).toString('hex').toUpperCase()],
  ['in base64', (card: TestCard) => btoa(unescape(encodeURIComponent(body(card))))],
  ['in base64, a byte later', (card: TestCard) => Buffer.from(` ${body(card)}`).toString('base64')],
  ['in base64url, two bytes later', (card: TestCard) => Buffer.from(`  ${body(card)}`).toString('base64url')],
  ['in UTF-16', (card: TestCard) => Buffer.from(body(card), 'utf16le')],
])('the number and the password of a test card are found %s', (_how, write) => {
  for (const card of cards) {
    const encodings = search
      .in(Buffer.from(write(card)))
      .filter((hit) => hit.card === card)
      .map(({ encoding }) => encoding)
    expect(encodings.some((encoding) => encoding.startsWith('number'))).toBe(true)
    expect(encodings.some((encoding) => encoding.startsWith('password'))).toBe(true)
  }
})

it('every encoding is found and named', () => {
  for (const card of cards)
    for (const { encoding, bytes } of [...encodingsOf(card), ...fragmentExamples(card)]) {
      const hits = search.in(Buffer.concat([Buffer.from('before '), bytes, Buffer.from(' after')]))
      expect(hits.map((hit) => `${hit.encoding} of ${hit.card.index}`)).toContain(`${encoding} of ${card.index}`)
    }
})

it('a number on the border between two chunks of a large file is found once', async () => {
  const file = Buffer.alloc(9_000_000, 'x')
  const offsets = [0, 4_194_304 - 9, 4_194_304 + 40, 8_388_608 - 15, 9_000_000 - card.cc_number.length]
  for (const offset of offsets) file.write(card.cc_number, offset)
  await writeFile(join(folder, 'large'), file)
  const { findings, bytes, files } = await searchAreas([{ name: 'here', folder }], search)
  expect(findings.map(({ offset }) => offset)).toEqual(offsets)
  expect([files, bytes]).toEqual([1, 9_000_000])
})

it('a page header of the write-ahead log hides nothing and leaves no digits alone', async () => {
  const { cc_year, cc_month, cc_cvv, cc_number } = card
  const page = (content: string, header: number) =>
    Buffer.concat([Buffer.from([0x13, 0xd1, header === 40 ? 2 : 0]), Buffer.alloc(header - 3), Buffer.from(content)])
  const filled = (content: string, header: number) => page(content.padStart(8192 - header, ' '), header)
  const pages = [
    filled(`visa ${cc_year}-${cc_month}!${cc_cvv}`, 40), // the beginning of an id, such as 568B37BEA3624250
    filled(`FE2041D7A90F${cc_number.slice(0, 7).padStart(8156)}`, 24),
    page(`${cc_number.slice(7)} `, 24),
  ]
  await writeFile(join(folder, 'large'), Buffer.concat(pages))
  const { findings } = await searchAreas([{ name: 'WAL', folder, isWal: true }], search)
  expect(findings.map(({ encoding }) => encoding)).toEqual(['number in a row, plain'])
})

it('a finding does not reveal card data', async () => {
  await writeFile(join(folder, 'large'), `{"cc_number":"${card.cc_number}","cc_cvv":"${card.cc_cvv}"}`)
  const { findings } = await searchAreas([{ name: 'here', folder }], search)
  expect(findings.length).toBeGreaterThan(1)
  for (const { context } of findings) expect(context.replace(/\[\d+ bytes\]/, '')).not.toMatch(/\d/)
})

it('other numbers, dates and codes are not fragments of a card', () => {
  const text = '2026-11-15T12:00:00.123Z status 404, code 40001, post_code":"89501", 4242424242424242 123'
  expect(createByteSearch(createTestCards(3)).in(Buffer.from(text))).toEqual([])
})

it('a CVC that two cards share is found for both', () => {
  const [one, other] = createTestCards(2).map((each) => ({ ...each, cc_cvv: '917' }))
  const hits = createByteSearch([one, other].filter((each) => each !== undefined)).in(Buffer.from('"cvc":"917"'))
  expect(new Set(hits.map(({ card }) => card.index))).toEqual(new Set([one?.index, other?.index]))
})

it('a year is neither a CVC nor the end of a number', () => {
  const years = createTestCards(2000).flatMap(({ cc_number, cc_cvv }) =>
    [cc_number.slice(-4), cc_cvv].filter((digits) => /^20\d\d$/.test(digits)),
  )
  expect(years).toEqual([])
})

it('digits of a UUID are not a fragment of a card', () => {
  const id = `"0f1a2b3c-fc12-${card.cc_number.slice(-4)}-${card.cc_cvv}d-f1a2a345f678"`
  expect(search.in(Buffer.from(id))).toEqual([])
})

it('an id after an expiry date is not a fragment of a card, whatever it begins with', () => {
  const { cc_year, cc_month, cc_cvv } = card
  expect(search.in(Buffer.from(`visa ${cc_year}-${cc_month}!${cc_cvv}FE2041D7A90F`))).toEqual([])
  expect(search.in(Buffer.from(`visa ${cc_year}-${cc_month}!${cc_cvv}C`))).not.toEqual([])
})

it('entries of an index are not UTF-16, although there are zeros between them', () => {
  const entry = (digits: string) => `\0\0\x01\0\x05\0\x10@\x0b${digits}\0\0\0`
  const entries = [card.cc_number.slice(-4), card.cc_cvv].map(entry).join('')
  const utf16 = Buffer.from('"0":"', 'utf16le') // makes the search look for UTF-16
  const digits = Buffer.from('123', 'utf16le')
  expect(search.in(Buffer.concat([utf16, digits, Buffer.from(entries, 'latin1')]))).toEqual([])
})

it('a name that sounds like a card is suspicious unless it is on the list and its values match', () => {
  const index = createFieldIndex()
  index.addAll('columns', {
    member: { password_hash: '$argon2id$v=19$x', city: 'Reno', expires_at: '2026-11-15T12:00' },
  })
  expect(suspiciousFields(index.all())).toEqual([])
  index.addAll('columns', {
    member: { password_hash: 'Open-Sesame-7' },
    payment: { details: '{"card":{"last4":"1"}}' },
  })
  expect(suspiciousFields(index.all())).toEqual([
    'columns: member.password_hash should be the Argon2id hash of the password, but 1 of its values are not',
    'columns: payment.details.card.last4 sounds like a card or a password',
  ])
})
