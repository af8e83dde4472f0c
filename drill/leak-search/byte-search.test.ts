import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { finderOf, searchPlaces } from './byte-search.ts'
import { fragmentsOf } from './cvc-fragments.ts'
import { formsOf } from './encodings.ts'
import { nameBook, suspicious } from './field-names.ts'
import { type Mark, mint } from './test-cards.ts'

const marks = mint(12)
const [mark] = marks as [Mark]
const finder = finderOf(marks)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-finder-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const body = (mark: Mark) => JSON.stringify({ cc_number: mark.cc_number, password: mark.password, x: 'é' })

it.each([
  ['as it is', (mark: Mark) => body(mark)],
  ['as JSON in JSON', (mark: Mark) => JSON.stringify(body(mark))],
  ['as a form', (mark: Mark) => new URLSearchParams({ n: mark.cc_number, p: mark.password }).toString()],
  ['in hex', (mark: Mark) => Buffer.from(body(mark)).toString('hex')],
  ['in capital hex', (mark: Mark) => Buffer.from(body(mark)).toString('hex').toUpperCase()],
  ['in base64', (mark: Mark) => btoa(unescape(encodeURIComponent(body(mark))))],
  ['in base64, a byte later', (mark: Mark) => Buffer.from(` ${body(mark)}`).toString('base64')],
  ['in base64url, two bytes later', (mark: Mark) => Buffer.from(`  ${body(mark)}`).toString('base64url')],
  ['in UTF-16', (mark: Mark) => Buffer.from(body(mark), 'utf16le')],
])('a marked number and a marked password are found %s', (_how, write) => {
  for (const mark of marks) {
    const forms = finder
      .in(Buffer.from(write(mark)))
      .filter((hit) => hit.mark === mark)
      .map(({ form }) => form)
    expect(forms.some((form) => form.startsWith('number'))).toBe(true)
    expect(forms.some((form) => form.startsWith('password'))).toBe(true)
  }
})

it('every form that is looked for is found where it lies, and named', () => {
  for (const mark of marks)
    for (const { form, bytes } of [...formsOf(mark), ...fragmentsOf(mark)]) {
      const hits = finder.in(Buffer.concat([Buffer.from('before '), bytes, Buffer.from(' after')]))
      expect(hits.map((hit) => `${hit.form} of ${hit.mark.index}`)).toContain(`${form} of ${mark.index}`)
    }
})

it('a number is found on every border between two pieces of a large file, once', async () => {
  const file = Buffer.alloc(9_000_000, 'x')
  const offsets = [0, 4_194_304 - 9, 4_194_304 + 40, 8_388_608 - 15, 9_000_000 - mark.cc_number.length]
  for (const offset of offsets) file.write(mark.cc_number, offset)
  await writeFile(join(folder, 'large'), file)
  const { findings, bytes, files } = await searchPlaces([{ name: 'here', folder }], finder)
  expect(findings.map(({ offset }) => offset)).toEqual(offsets)
  expect([files, bytes]).toEqual([1, 9_000_000])
})

it('a finding tells nothing that should not be told', async () => {
  await writeFile(join(folder, 'large'), `{"cc_number":"${mark.cc_number}","cc_cvv":"${mark.cc_cvv}"}`)
  const { findings } = await searchPlaces([{ name: 'here', folder }], finder)
  expect(findings.length).toBeGreaterThan(1)
  for (const { around } of findings) expect(around.replace(/\[\d+ bytes\]/, '')).not.toMatch(/\d/)
})

it('other numbers, dates and codes are no fragments of a card', () => {
  const text = '2026-11-15T12:00:00.123Z status 404, code 40001, post_code":"89501", 4242424242424242 123'
  expect(finderOf(mint(3)).in(Buffer.from(text))).toEqual([])
})

it('a CVC that two cards share is found for both', () => {
  const [one, other] = mint(2).map((each) => ({ ...each, cc_cvv: '917' }))
  const hits = finderOf([one, other].filter((each) => each !== undefined)).in(Buffer.from('"cvc":"917"'))
  expect(new Set(hits.map(({ mark }) => mark.index))).toEqual(new Set([one?.index, other?.index]))
})

it('digits of an id are no fragment of a card', () => {
  const id = `"0f1a2b3c-fc12-${mark.cc_number.slice(-4)}-${mark.cc_cvv}d-f1a2a345f678"`
  expect(finder.in(Buffer.from(id))).toEqual([])
})

it('a name that sounds like a card is suspicious unless it is known, with values as they should be', () => {
  const book = nameBook()
  book.noteAll('columns', {
    member: { password_hash: '$argon2id$v=19$x', city: 'Reno', expires_at: '2026-11-15T12:00' },
  })
  expect(suspicious(book.all())).toEqual([])
  book.noteAll('columns', {
    member: { password_hash: 'Open-Sesame-7' },
    payment: { details: '{"card":{"last4":"1"}}' },
  })
  expect(suspicious(book.all())).toEqual([
    'columns: member.password_hash is to be Argon2id of the password, and 1 of its values are not',
    'columns: payment.details.card.last4 sounds like a card or a password',
  ])
})
