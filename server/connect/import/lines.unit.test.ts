import { describe, expect, it } from 'vitest'
import { importColumns } from '#contract/console/import.ts'
import { periodStart } from '#contract/renewal.ts'
import { readText } from './csv.ts'
import { hasCardNumber, readHeader, readLine } from './lines.ts'
import { anchorFor } from './rows.ts'

const context = {
  today: '2026-11-15',
  packages: new Map([[34, { product_id: 34, renewal_cents: 9900 }]]),
  default_product_id: 34,
}
const good = {
  username: 'mara',
  first_name: 'Mara',
  last_name: 'Ödegård',
  email: 'Mara@Example.com',
  joined_on: '2024-01-31',
  renews_on: '2026-11-30',
  vault_reference: 'v-1',
  card_brand: 'Visa',
  card_last_four: '4242',
  card_expires: '07/30',
}
const read = (changes: Record<string, string> = {}) => {
  const values = { ...good, ...changes }
  return readLine(readHeader(Object.keys(values)), Object.values(values), context)
}
const problemsOf = (changes: Record<string, string>) => {
  const line = read(changes)
  return Array.isArray(line) ? line.map(({ column_name, problem }) => `${column_name} ${problem}`) : []
}

describe('a line', () => {
  it('30.1 is tidied', () => {
    expect(read({ mobile_phone: '+1 (202) 555-0123', state: 'nv', membership: 'Cancelled' })).toMatchObject({
      username: 'mara',
      email: 'mara@example.com',
      sponsor_site: 'master',
      answers: {
        email: 'Mara@Example.com',
        mobile_phone: '+12025550123',
        state: 'NV',
        membership: 'canceled',
        renewal_cents: 9900,
        card_brand: 'visa',
        card_expires: '2030-07',
      },
    })
  })

  it.each([
    [{ username: 'ma ra' }, 'username Username must contain only letters (A-Z) and numbers.'],
    [{ username: 'admin' }, 'username is a reserved word.'],
    [{ email: 'mara' }, 'email Invalid email format.'],
    [{ first_name: '' }, 'first_name is missing.'],
    [{ last_name: 'M\uFFFDller' }, 'last_name is not UTF-8: save the file as CSV (UTF-8).'],
    [{ sponsor: 'mara' }, 'sponsor is the member’s own username.'],
    [{ joined_on: '31.01.2024' }, 'joined_on must be a day such as 2024-01-31.'],
    [{ joined_on: '2024-02-30' }, 'joined_on must be a day such as 2024-01-31.'],
    [{ joined_on: '2026-11-16' }, 'joined_on is in the future.'],
    [{ renews_on: '' }, 'renews_on is missing.'],
    [{ renews_on: '2023-12-31' }, 'renews_on is before joined_on.'],
    [{ renews_on: '2062-11-30' }, 'renews_on is more than five years away.'],
    [{ membership: 'ended' }, 'renews_on is in the future, but the membership has ended.'],
    [{ membership: 'paused' }, 'membership must be active, past_due, canceled, ended.'],
    [{ price: '99' }, 'price must have two decimals, such as 99.00.'],
    [{ product_id: '77' }, 'product_id is not a package that renews.'],
    [{ card_brand: 'jcb' }, 'card_brand must be visa, mastercard, amex or discover.'],
    [{ card_last_four: '424' }, 'card_last_four must be four digits.'],
    [{ card_expires: '13/30' }, 'card_expires must be a month such as 2030-07 or 07/30.'],
    [{ state: 'XX' }, 'state must be a state such as NV.'],
  ])('30.1 with a mistake is named by its column: %o', (changes, problem) => {
    expect(problemsOf(changes)).toEqual([problem])
  })

  it('30.1 that renews needs a card, and one that does not renew needs none', () => {
    const noCard = { vault_reference: '', card_brand: '', card_last_four: '', card_expires: '' }
    expect(problemsOf(noCard)[0]).toMatch(/^vault_reference is missing/)
    expect(problemsOf({ ...noCard, price: '0.00' })).toEqual([])
    expect(problemsOf({ ...noCard, membership: 'ended', renews_on: '2026-01-31' })).toEqual([])
  })

  it.each(Object.keys(importColumns))('30.2 a card number in the column %s is refused', (column) => {
    for (const number of ['4242424242424242', '3782 822463 10005', '5555-5555-5555-4444'])
      expect(problemsOf({ [column]: number })).toEqual([expect.stringMatching(`^${column} looks like a card number`)])
  })

  it('30.2 a card number among other text, too, but not what only looks like one', () => {
    expect(hasCardNumber('Main St 1, 4242 4242 4242 4242')).toBe(true)
    expect(hasCardNumber('36227206271667')).toBe(true) // Diners Club
    expect(hasCardNumber('4242424242424241')).toBe(false)
    expect(hasCardNumber('1512345678/1812345678', 'vault_reference')).toBe(false)
    expect(hasCardNumber('+4915112345678', 'mobile_phone')).toBe(false)
    expect(hasCardNumber('2026-11-15')).toBe(false)
  })
})

describe('a header', () => {
  it.each([
    ['username;first_name', 'This file uses semicolons to separate values. Save it with commas.'],
    ['username\tfirst_name', 'This file uses tabs to separate values. Save it with commas.'],
    ['username,cvc', 'Foyer never imports the column cvc. Remove it from the file.'],
    ['username,renew_on', 'The first line has columns that Foyer doesn’t know: “renew_on”.'],
    ['username,username', 'The first line has username twice.'],
    ['username,email', 'The first line is missing first_name, last_name, joined_on.'],
  ])('30.4 %j gets a sentence', (text, sentence) => {
    expect(() => readHeader(readText(text)[0]?.cells ?? [])).toThrow(sentence)
  })

  it('30.4 may begin with a byte-order mark, and lines may end in CRLF and have quotes', () => {
    const records = readText('\uFEFFusername,first_name\r\n"mara","Mara ""M"", the first"\r\n\r\nzoe,Zoë\r\n')
    expect(records).toEqual([
      { line: 1, cells: ['username', 'first_name'] },
      { line: 2, cells: ['mara', 'Mara "M", the first'] },
      { line: 4, cells: ['zoe', 'Zoë'] },
    ])
  })

  it('30.4 an open quote is named by its line, without what is in it', () => {
    expect(() => readText('username\nsecret"x"\n')).toThrow(/^Line 2 can't be read/)
    expect(() => readText('username\n"secret\nmore\n')).toThrow(/can't be read/)
  })
})

describe('a renewal day', () => {
  const starts = (joined_on: string, renews_on: string, interval: 'month' | 'year', today = '2026-11-15') => {
    const { anchor_on, anchor_period } = anchorFor(joined_on, renews_on, interval, today)
    return [1, 2, 3].map((n) => periodStart(anchor_on, n - anchor_period, interval))
  }
  it('30.6 stays the one of the file', () => {
    expect(starts('2024-01-31', '2026-11-30', 'month')).toEqual(['2026-11-30', '2026-12-31', '2027-01-31'])
    expect(starts('2024-01-30', '2026-11-30', 'month')).toEqual(['2026-11-30', '2026-12-30', '2027-01-30'])
    expect(starts('2024-03-05', '2026-11-20', 'month')).toEqual(['2026-11-20', '2026-12-20', '2027-01-20'])
    expect(starts('2024-02-29', '2028-02-29', 'year')).toEqual(['2028-02-29', '2029-02-28', '2030-02-28'])
    expect(starts('2026-11-10', '2027-05-01', 'month')).toEqual(['2027-05-01', '2027-06-01', '2027-07-01'])
    expect(starts('2025-06-01', '2028-02-29', 'year')).toEqual(['2028-02-29', '2029-02-28', '2030-02-28'])
  })
  it('30.6 that has passed moves on by whole periods', () => {
    expect(starts('2024-01-31', '2026-08-31', 'month')).toEqual(['2026-11-30', '2026-12-31', '2027-01-31'])
    expect(starts('2024-03-15', '2026-09-15', 'month')).toEqual(['2026-11-15', '2026-12-15', '2027-01-15'])
    expect(starts('2024-03-05', '2026-03-05', 'year')).toEqual(['2027-03-05', '2028-03-05', '2029-03-05'])
  })
  it('30.6 has its yearly reminder ahead: the anchor lies before it', () => {
    for (const day of ['2026-11-20', '2028-02-29', '2027-01-31'])
      expect(anchorFor('2026-11-10', day, 'year', '2026-11-15').anchor_on < day).toBe(true)
  })
})
