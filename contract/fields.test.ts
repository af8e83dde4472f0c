import { describe, expect, test } from 'vitest'
import { fields, messagesByField, passwordRules } from './fields.ts'

type Field = keyof typeof fields

/** What a person hears about a value: all its messages, or 'ok'. */
const heard = (field: Field, value: unknown) => {
  const { success, error } = fields[field].safeParse(value)
  return success ? 'ok' : error.issues.map(({ message }) => message)
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 44 ? `${text.slice(0, 30)}… (${text.length - 2})` : text
}

const hears = (rows: [Field, unknown, string][]) =>
  test.each(rows.map(([field, value, message]) => ({ field, value, message, shown: shown(value) })))(
    `6.1 $field $shown → $message`,
    ({ field, value, message }) => expect(heard(field, value)).toEqual(message === 'ok' ? 'ok' : [message]),
  )

const NAME_LONG = 'Please use at most 30 characters.'
const EMAIL_LONG = 'Please use at most 50 characters.'
const CONTROL = 'Please use letters, digits and signs only.'
const TRAP = 'This field should be left empty.'
const PHONE = 'Invalid mobile phone number format.'
const EMAIL = 'Invalid email format.'
const USERNAME = 'Username must contain only letters (A-Z) and numbers.'
const PASSWORD =
  'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.'
const ZIP = 'Invalid Post / ZIP code format.'
const CARD = 'Invalid credit card number format.'
const CVC = 'Invalid CVC format.'
const AGREE = 'Please confirm all the agreements.'
const emailOf = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`

/** Word for word the owner's. */
const whenMissing: Partial<Record<Field, string>> = {
  first_name: 'Please enter your first name.',
  last_name: 'Please enter your last name.',
  mobile_phone: 'Please enter your mobile phone number.',
  email: 'Please enter your email address.',
  username: 'Please enter your username.',
  password: 'Please enter your password.',
  country: 'Please select a country.',
  address: 'Please enter your address.',
  city: 'Please enter your city.',
  state: 'Please select a state.',
  post_code: 'Please enter your Post / ZIP code.',
  agreement_1: AGREE,
  agreement_2: AGREE,
  cc_number: 'Please enter your credit card number.',
  cc_month: 'Please select the expiration month.',
  cc_year: 'Please select the expiration year.',
  cc_cvv: 'Please enter the CVC.',
  captcha: 'Please confirm the captcha.',
}

describe('a required field that was not filled says only that', () => {
  const rows = (Object.entries(whenMissing) as [Field, string][]).map(([field, message]) => ({ field, message }))
  test.each(rows)('6.1 $field → $message', ({ field, message }) => {
    for (const value of [undefined, null, '', 7, ['x'], { x: 1 }]) expect(heard(field, value)).toEqual([message])
  })
  test.each(rows.filter(({ field }) => field !== 'password'))('6.1 blank $field is not filled', (row) => {
    expect(heard(row.field, ' \t\u00a0\n')).toEqual([row.message])
  })
})

describe('ACCOUNT', () => {
  hears([
    ['first_name', 'Ada', 'ok'],
    ['first_name', 'a'.repeat(30), 'ok'],
    ['first_name', 'a'.repeat(31), NAME_LONG],
    ['first_name', ` ${'a'.repeat(30)} `, 'ok'],
    ['first_name', '𠮷'.repeat(30), 'ok'],
    ['first_name', '𠮷'.repeat(31), NAME_LONG],
    ['first_name', 'A\u0000da', CONTROL],
    ['first_name', 'A\u001b[31mda', CONTROL],
    ['first_name', 'A\nda', CONTROL],
    ['first_name', 'A\u2028da', CONTROL],
    ['first_name', 'A\u2029da', CONTROL],
    ['last_name', 'b'.repeat(30), 'ok'],
    ['last_name', 'b'.repeat(31), NAME_LONG],
    ['last_name', 'Love\u007flace', CONTROL],
    ['business_name', undefined, 'ok'],
    ['business_name', '', 'ok'],
    ['business_name', '  ', 'ok'],
    ['business_name', 'Müller & Søn, Inc.', 'ok'],
    ['business_name', 'Acme\u0007', CONTROL],
    ['mobile_phone', '1234567', 'ok'],
    ['mobile_phone', '123456', PHONE],
    ['mobile_phone', `+${'1'.repeat(20)}`, 'ok'],
    ['mobile_phone', `+${'1'.repeat(21)}`, PHONE],
    ['mobile_phone', '+1 (202) 555-0123', 'ok'],
    ['mobile_phone', '+49.30/1234 567', 'ok'],
    ['mobile_phone', '1+2025550123', PHONE],
    ['mobile_phone', '++12025550123', PHONE],
    ['mobile_phone', '202555O123', PHONE],
    ['mobile_phone', '٢٠٢٥٥٥٠١٢٣', PHONE],
    ['mobile_phone', '()', PHONE],
  ])

  test.each(['José', 'Nguyễn', 'Анна', '美咲', 'محمد', 'नेहा', 'שרה', 'O’Hara', 'Anne-Marie', '𐌰𐌽𐌽𐌰'])(
    'a name may be written in any script: %s',
    (name) => {
      expect(fields.first_name.parse(name)).toBe(name)
      expect(fields.last_name.parse(name)).toBe(name)
    },
  )

  test('a letter with its accent is kept as one sign, however it was typed', () => {
    expect(fields.first_name.parse('Zoe\u0308')).toBe('Zo\u00eb')
    expect(fields.business_name.parse('Cafe\u0301')).toBe('Caf\u00e9')
    expect(fields.email.parse('zoe\u0308@mail.example')).toBe('zo\u00eb@mail.example')
    expect(heard('first_name', 'e\u0301'.repeat(30))).toBe('ok')
  })

  test('a phone number is kept without what was written between its digits', () => {
    expect(fields.mobile_phone.parse(' +1 (202) 555-01.23 ')).toBe('+12025550123')
  })

  test.each(['hall_lantern', 'hall_umbrella'] as const)('6.1 the trap %s must stay empty', (trap) => {
    expect(heard(trap, undefined)).toBe('ok')
    expect(heard(trap, '')).toBe('ok')
    expect(heard(trap, 'x')).toEqual([TRAP])
    expect(heard(trap, ' ')).toEqual([TRAP])
  })
})

describe('CODE_VERIFICATION', () => {
  hears([
    ['code', '', 'Please enter the code.'],
    ['code', undefined, 'Please enter the code.'],
    ['code', '123 456', 'ok'],
    ['code', '123', 'Invalid code format.'],
    ['code', '12345a', 'Invalid code format.'],
  ])
})

describe('ACCOUNT_CREATION', () => {
  hears([
    ['email', 'ada@example.com', 'ok'],
    ['email', ' ada@example.com ', 'ok'],
    ['email', 'ada+join@mail.example.co.uk', 'ok'],
    ['email', "o'hara@example.ie", 'ok'],
    ['email', 'josé@exämple.de', 'ok'],
    ['email', 'jose\u0301@exa\u0308mple.de', 'ok'],
    ['email', emailOf(50), 'ok'],
    ['email', emailOf(51), EMAIL_LONG],
    ['email', 'ada', EMAIL],
    ['email', 'ada@example', EMAIL],
    ['email', '@example.com', EMAIL],
    ['email', 'ada@@example.com', EMAIL],
    ['email', 'ada@example..com', EMAIL],
    ['email', 'ada lovelace@example.com', EMAIL],
    ['email', 'ada@-example.com', EMAIL],
    ['username', 'ada1815', 'ok'],
    ['username', 'ADA', 'ok'],
    ['username', 'a', 'ok'],
    ['username', 'a'.repeat(30), 'ok'],
    ['username', 'a'.repeat(31), NAME_LONG],
    ['username', 'ada lovelace', USERNAME],
    ['username', 'ada_l', USERNAME],
    ['username', 'adá', USERNAME],
    ['username', '../etc', USERNAME],
    ['password', 'Abcdef1!', 'ok'],
    ['password', 'Abcde1!', PASSWORD],
    ['password', 'abcdef1!', PASSWORD],
    ['password', 'ABCDEF1!', PASSWORD],
    ['password', 'Abcdefg!', PASSWORD],
    ['password', 'Abcdefg1', PASSWORD],
    ['password', 'Abcdef1 ', 'ok'],
    ['password', `Abcdef1!${'x'.repeat(992)}`, 'ok'],
    ['password', `Abcdef1!${'x'.repeat(993)}`, 'Please use at most 1000 characters.'],
    ['password', ' ', PASSWORD],
    ['password', `Aa1!${'x'.repeat(996)}`, 'ok'],
  ])

  test('6.1 a username is kept in lower case', () => expect(fields.username.parse(' AdaL ')).toBe('adal'))

  test('a password is kept exactly as it was typed', () =>
    expect(fields.password.parse(' Abcdef1! ')).toBe(' Abcdef1! '))

  test('6.1 the password’s rule is five parts that a screen can tick', () => {
    const ticked = (password: string) => passwordRules.flatMap(({ label, met }) => (met(password) ? [label] : []))
    expect(ticked('')).toEqual([])
    expect(ticked('a1')).toEqual(['One lowercase letter', 'One digit'])
    expect(ticked('𝒜𝒜𝒜𝒜𝒜𝒜𝒜')).not.toContain('At least 8 characters')
    expect(ticked('Abcdef1!')).toEqual(passwordRules.map(({ label }) => label))
  })
})

describe('PAYMENT', () => {
  hears([
    ['country', 'US', 'ok'],
    ['country', 'CA', 'Please select a country.'],
    ['address', '1 Main St', 'ok'],
    ['address', '1 Main\u0000St', CONTROL],
    ['address2', undefined, 'ok'],
    ['address2', 'Apt 4', 'ok'],
    ['city', 'Las Vegas', 'ok'],
    ['state', 'NV', 'ok'],
    ['state', 'AE', 'ok'],
    ['state', 'Nevada', 'Please select a state.'],
    ['state', 'ZZ', 'Please select a state.'],
    ['post_code', '89101', 'ok'],
    ['post_code', '8910', ZIP],
    ['post_code', '891011', ZIP],
    ['post_code', '89101-12', ZIP],
    ['post_code', 'SW1A 1AA', ZIP],
    ['agreement_1', '1', 'ok'],
    ['agreement_1', '0', AGREE],
    ['agreement_1', true, AGREE],
    ['agreement_2', '1', 'ok'],
    ['agreement_2', '0', AGREE],
    ['agreement_2', 'on', AGREE],
    ['agreement_3', undefined, 'ok'],
    ['cc_number', '4242 4242-4242 4242', 'ok'],
    ['cc_number', '3782-822463-10005', 'ok'],
    ['cc_number', '4242424242424241', CARD],
    ['cc_number', '30569309025904', CARD],
    ['cc_number', '4242 4242', CARD],
    ['cc_number', '4242a4242b4242c4242', CARD],
    ['cc_number', '- -', CARD],
    ['cc_month', '01', 'ok'],
    ['cc_month', '12', 'ok'],
    ['cc_month', '00', 'Please select the expiration month.'],
    ['cc_month', '13', 'Please select the expiration month.'],
    ['cc_month', '1', 'Please select the expiration month.'],
    ['cc_year', '2030', 'ok'],
    ['cc_year', '30', 'Please select the expiration year.'],
    ['cc_cvv', '12', CVC],
    ['cc_cvv', '123', 'ok'],
    ['cc_cvv', '1234', 'ok'],
    ['cc_cvv', '12345', CVC],
    ['cc_cvv', '12a', CVC],
    ['captcha', 'solved', 'ok'],
  ])

  test.each(['89101-1234', '89101 1234', '891011234'])('a ZIP+4 written %s is kept with its hyphen', (zip) =>
    expect(fields.post_code.parse(zip)).toBe('89101-1234'),
  )

  test.each(['4242 4242 4242 4242', '4242-4242-4242-4242', ' 4242424242424242 '])(
    '6.1 spaces and dashes of a card are ignored: %s',
    (typed) => expect(fields.cc_number.parse(typed)).toBe('4242424242424242'),
  )
})

describe('what comes with the address and the choice', () => {
  hears([
    ['sponsor_site', 'master', 'ok'],
    ['sponsor_site', 'a'.repeat(30), 'ok'],
    ['sponsor_site', 'a'.repeat(31), 'This is not a sponsor’s link.'],
    ['sponsor_site', 'jane-doe', 'This is not a sponsor’s link.'],
    ['sponsor_site', undefined, 'Please use a sponsor’s link.'],
  ])
  hears([
    ['product_ids', undefined, 'ok'],
    ['product_ids', '', 'ok'],
    ['product_ids', '34', 'ok'],
    ['product_ids', '34,35', 'ok'],
    ['product_ids', Array(20).fill('34').join(), 'ok'],
    ['product_ids', Array(21).fill('34').join(), 'Please choose a package.'],
    ['product_ids', '34,', 'Please choose a package.'],
    ['product_ids', '34;35', 'Please choose a package.'],
  ])
  test('a site is lower-cased like a username', () => expect(fields.sponsor_site.parse('AdaL')).toBe('adal'))
})

test('messages are gathered by the field they belong to', () => {
  const issues = [
    { path: ['email'], message: 'one' },
    { path: ['email'], message: 'two' },
    { path: [], message: 'all of it' },
  ]
  expect(messagesByField(issues)).toEqual({ email: ['one', 'two'], body: ['all of it'] })
})

describe('a name that would turn the words around it', () => {
  test.each(['first_name', 'last_name', 'business_name', 'city'] as const)(
    '16.5 %s is taken without the sign',
    (field) => {
      for (const sign of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
        expect(fields[field].parse(`${sign} Best${sign} Co`)).toBe('Best Co')
    },
  )
  test('16.5 signs that letters need, and those of other scripts, stay', () => {
    for (const name of ['👩‍👧', 'می‌خواهم', 'שרה\u200fבת', 'a\u200eb']) expect(fields.first_name.parse(name)).toBe(name)
  })
  test('16.5 of such signs alone there is no name', () =>
    expect(heard('first_name', '\u202e\u2066')).toEqual(['Please enter your first name.']))
})
