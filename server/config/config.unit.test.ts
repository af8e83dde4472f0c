import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { production, settingErrors, settingNames } from '#server/test/settings.ts'
import { readConfig } from './config.ts'
import { isStrongSecret } from './secret.ts'

describe('without any setting', () => {
  const config = readConfig({})

  test('every setting has a working default', () =>
    expect(config).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: 'http://localhost:3000',
      OFFICE_URL: 'http://localhost:3000/office',
      SITE_HOSTS: ['localhost:3000'],
      TRUST_PROXY: [],
      PAYMENT: 'sandbox',
      PHONE: 'sandbox',
      CAPTCHA: 'altcha',
      MAIL: 'outbox',
      production: false,
      embedded: ['database', 'payment', 'phone', 'mail'],
    }))

  test('25.3 the flow is the owner’s: ACCOUNT first, no autoship, no special, no phone code', () =>
    expect(config).toMatchObject({ START_STEP: 'ACCOUNT', AUTOSHIP: false, SPECIAL: false, PHONE_VERIFICATION: false }))

  test('19.4 19.84 the limits of staff', () =>
    expect(config).toMatchObject({
      LIMIT_SECOND_FACTORS: { max: 10, seconds: 86_400 },
      LIMIT_MEMBERS_READ: { max: 240, seconds: 3600 },
    }))

  test('an empty setting counts as not set', () => expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toEqual(config))
})

describe('a setting', () => {
  test('PUBLIC_URL is the base of the other addresses', () =>
    expect(readConfig({ ...production, PUBLIC_URL: 'https://join.example/' })).toMatchObject({
      PUBLIC_URL: 'https://join.example',
      OFFICE_URL: 'https://join.example/office',
      SITE_HOSTS: ['join.example'],
    }))

  test('8.1 addresses are normalized as browsers do it, so that HTTPS is https', () => {
    const env = { PUBLIC_URL: 'HTTPS://Join.Example:443/', OFFICE_URL: 'Https://JOIN.example/office/' }
    expect(readConfig({ ...production, ...env })).toMatchObject({
      PUBLIC_URL: 'https://join.example',
      OFFICE_URL: 'https://join.example/office',
      SITE_HOSTS: ['join.example'],
    })
  })

  test('8.1 SITE_HOSTS are normalized as browsers do it', () =>
    expect(readConfig({ ...production, SITE_HOSTS: 'Join.Example, localhost:3000, [::1]:3000' }).SITE_HOSTS).toEqual([
      'join.example',
      'localhost:3000',
      '[::1]:3000',
    ]))

  test('6.14 8.1 CORS_ORIGINS are normalized as browsers send them', () =>
    expect(
      readConfig({ ...production, CORS_ORIGINS: 'HTTPS://WWW.Example.com:443/, http://localhost:8080' }),
    ).toMatchObject({ CORS_ORIGINS: ['https://www.example.com', 'http://localhost:8080'] }))

  test('5.7 by default, codes go to every state and territory in the form, and to Canada', () =>
    expect(readConfig({}).PHONE_COUNTRIES).toEqual(['US', 'CA', 'PR', 'GU', 'VI', 'AS', 'MP']))

  test('OFFICE_URL can point to the operator’s own office', () =>
    expect(readConfig({ OFFICE_URL: 'https://office.example' }).OFFICE_URL).toBe('https://office.example'))

  test('DATABASE_URL may have options for the driver', () => {
    const DATABASE_URL = 'postgres://foyer:hunter2@db.example/foyer?sslmode=verify-full'
    expect(readConfig({ DATABASE_URL })).toMatchObject({ DATABASE_URL, embedded: ['payment', 'phone', 'mail'] })
  })

  test.each([
    ['hello@join.example', 'hello@join.example'],
    ['<hello@join.example>', 'hello@join.example'],
    ['Join <hello@join.example>', '"Join" <hello@join.example>'],
    ['"Join, Inc." <hello@join.example>', '"Join, Inc." <hello@join.example>'],
    ['Łódź: us, here <hello@łódź.example>', '"Łódź: us, here" <hello@łódź.example>'],
  ])('MAIL_FROM is one address, with a name or without: %s', (MAIL_FROM, from) =>
    expect(readConfig({ MAIL_FROM }).MAIL_FROM).toBe(from),
  )

  test('a limit is a count and seconds', () =>
    expect(readConfig({ LIMIT_DECLINES: '3/60' }).LIMIT_DECLINES).toEqual({ max: 3, seconds: 60 }))

  test('a policy is switched on with its setting', () =>
    expect(readConfig({ AUTOSHIP: 'on', START_STEP: 'PRODUCT_SELECTION' })).toMatchObject({
      AUTOSHIP: true,
      START_STEP: 'PRODUCT_SELECTION',
    }))

  test.each(['10.0.0.5', '10.0.0.5, 192.168.0.0/16', '::1', 'fd00::/8', 'loopback'])(
    'TRUST_PROXY lists proxies by address: %s',
    (text) => expect(readConfig({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(text.split(', ')),
  )
})

describe('an invalid setting', () => {
  test.each([
    ['PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['PORT', '80.5', 'must be a whole number from 0 to 65535'],
    ['AUTOSHIP', 'yes', 'must be one of: off, on'],
    ['START_STEP', 'PAYMENT', 'must be one of: ACCOUNT, PRODUCT_SELECTION'],
    ['PUBLIC_URL', 'https://join.example/join', 'must be a URL without a path'],
    ...['*', 'null', 'www.example.com', 'https://www.example.com/join', 'http://c.example'].map(
      (origin): [string, string, string] => [
        'CORS_ORIGINS',
        origin,
        'must be a list of origins, such as https://www.example.com; http only on this machine',
      ],
    ),
    ['PACKAGE_CATEGORY', '0', 'must be a whole number from 1 to 2147483647'],
    ['PRESELECTED_PACKAGE', 'none', 'must be a whole number from 1 to 2147483647'],
    ['SITE_HOSTS', 'https://join.example', 'must be a list of hosts, such as join.example,localhost:3000'],
    ['SITE_HOSTS', 'join.example/join', 'must be a list of hosts, such as join.example,localhost:3000'],
    ['SITE_HOSTS', 'join.example:99999', 'must be a list of hosts, such as join.example,localhost:3000'],
    ['PHONE_COUNTRIES', 'US,UK', 'must be a list of two-letter countries, such as US,CA,GB'],
    ['PHONE_COUNTRIES', 'us', 'must be a list of two-letter countries, such as US,CA,GB'],
    ['PUBLIC_URL', 'join.example', 'must be a URL that starts with http:// or https://'],
    ['OFFICE_URL', 'javascript:alert(1)', 'must be a URL that starts with http:// or https://'],
    ['LIMIT_LOOKUPS', '300', 'must be a count and seconds, such as 30/3600'],
    ['LIMIT_LOOKUPS', '300/0', 'must be a count and seconds, such as 30/3600'],
    ['MAIL_FROM', 'Foyer', 'must be one address, such as Join <hello@join.example>'],
    ['MAIL_FROM', 'hello at join.example', 'must be one address, such as Join <hello@join.example>'],
    ['MAIL_FROM', 'Join <join.example>', 'must be one address, such as Join <hello@join.example>'],
    ['TRUST_PROXY', '1', 'must be a list of addresses or networks'],
    ['TRUST_PROXY', 'true', 'must be a list of addresses or networks'],
    ['TRUST_PROXY', '10.0.0.5,2', 'must be a list of addresses or networks'],
  ])('8.1 %s=%s %s', (name, text, problem) => {
    const lines = settingErrors({ [name]: text })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`${name} ${problem}`)
    expect(lines[0]).toContain(`got '${text}'`)
  })

  test.each(['dead', '...', '10.0.0.0/99', '999.1.1.1'])('TRUST_PROXY=%s is not an address', (text) =>
    expect(settingNames({ TRUST_PROXY: text })).toEqual(['TRUST_PROXY']),
  )

  test.each([
    ['everything', '0.0.0.0/0'],
    ['all of IPv6', '::/0'],
    ['two halves', '0.0.0.0/1,128.0.0.0/1'],
    ['two halves of IPv6', '::/1,8000::/1'],
    ['three quarters', '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2'],
    ['the part of IPv6 that is in use', '2000::/4'],
    ['a private network and its neighbors', '8.0.0.0/6'],
    ['IPv4 written as IPv6', '::ffff:0:0/96'],
    ['both halves of it', '::ffff:0.0.0.0/97,::ffff:128.0.0.0/97'],
    ['a public /8 beside a proxy', '10.0.0.5,44.0.0.0/8'],
    ['a /8 in small parts', Array.from({ length: 256 }, (_, n) => `13.${n}.0.0/16`).join()],
  ])('8.1 TRUST_PROXY refuses %s', (_, text) => {
    expect(settingErrors({ TRUST_PROXY: text })).toEqual([
      expect.stringContaining('TRUST_PROXY must name your proxies only: its public networks together are'),
    ])
  })

  test.each([
    '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7,fe80::/10,::1,loopback',
    '173.245.48.0/20,103.21.244.0/22,104.16.0.0/13,172.64.0.0/13,2400:cb00::/32,2606:4700::/32,2a06:98c0::/29',
    '104.0.0.0/9,104.0.0.0/9,104.0.0.0/10',
  ])('8.1 TRUST_PROXY takes private networks and those of real proxies: %s', (text) =>
    expect(readConfig({ TRUST_PROXY: text }).TRUST_PROXY).toHaveLength(text.split(',').length),
  )

  test.each([
    ...['a@join.example, b@join.example', 'Join <a@join.example>, b@join.example', 'Join <a@join.example', 'Join <>'],
    ...[
      'Join <a@join.example> us',
      'a@join.example Join',
      'a@b@join.example',
      '@join.example',
      'hello@',
      'Us: a@join.example;',
    ],
    'Join\r\nBcc: eve@evil.example <a@join.example>',
  ])('8.1 MAIL_FROM=%j is not one address', (MAIL_FROM) => expect(settingNames({ MAIL_FROM })).toEqual(['MAIL_FROM']))

  test.each(['LIMIT_', 'PAYMENT_DEADLINE', 'TWILIO_SID', 'HASHES_AT_1', 'MAIL_TO'])(
    '8.1 an unknown name with one of our prefixes is reported: %s',
    (name) => expect(settingErrors({ [name]: '1' })).toEqual([`${name} is not a setting`]),
  )

  test.each([
    ['PAYMENTS', 'PAYMENT'],
    ['PAYMNET', 'PAYMENT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['LIMIT_ENROLMENTS', 'LIMIT_ENROLLMENTS'],
    ['CAPTCHA_COSTS', 'CAPTCHA_COST'],
  ])('8.1 a typo is reported with a suggestion: %s is probably %s', (name, meant) =>
    expect(settingErrors({ [name]: '1' })).toEqual([`${name} is not a setting. Did you mean ${meant}?`]),
  )

  test.each(['EMAIL', 'HOSTS', 'SPORT', 'HOME', 'PATH', 'SECRET_SERVICE', 'DATABASE_URL_TEST'])(
    'variables of other programs are ignored: %s',
    (name) => expect(settingErrors({ [name]: '1' })).toEqual([]),
  )

  test('is reported together with all others', () =>
    expect(
      settingNames({ PORT: 'x', AUTOSHIP: 'maybe', MAIL: 'pigeon', LIMIT_DECLINES: 'few', LIMIT_NONSENSE: '1/1' }),
    ).toEqual(['PORT', 'AUTOSHIP', 'MAIL', 'LIMIT_DECLINES', 'LIMIT_NONSENSE']))

  test('is reported together with what production requires', () =>
    expect(settingNames({ ...production, PORT: 'x', SECRET: '', PUBLIC_URL: '' })).toEqual([
      'PORT',
      'SECRET',
      'PUBLIC_URL',
    ]))

  test('an invalid DATABASE_URL does not count as an embedded database', () =>
    expect(settingNames({ ...production, DATABASE_URL: 'mysql://db' })).toEqual(['DATABASE_URL']))

  test('is not quoted if it may hold a secret', () => {
    const lines = settingErrors({
      DATABASE_URL: 'mysql://foyer:hunter2@db',
      MAIL: 'imap://foyer:hunter2@mail',
      PORT: 'x',
    })
    expect(lines).toHaveLength(3)
    expect(lines.join()).not.toContain('hunter2')
    expect(settingErrors({ ...production, SECRET: 'hunter2' }).join()).not.toContain('hunter2')
  })
})

describe('in production', () => {
  test('a complete set of settings is accepted', () =>
    expect(readConfig(production)).toMatchObject({ production: true, embedded: ['payment', 'phone'] }))

  test('SECRET, PUBLIC_URL and the name of every embedded part are required', () =>
    expect(settingErrors({ NODE_ENV: 'production' }).map((line) => line.split(':')[0])).toEqual([
      'SECRET is required in production',
      'PUBLIC_URL is required in production',
      'ALLOW_EMBEDDED does not list database',
      'ALLOW_EMBEDDED does not list payment',
      'ALLOW_EMBEDDED does not list phone',
      'ALLOW_EMBEDDED does not list mail',
    ]))

  test.each([
    ['SECRET', ['SECRET']],
    ['PUBLIC_URL', ['PUBLIC_URL']],
    ['DATABASE_URL', ['ALLOW_EMBEDDED']],
    ['MAIL', ['ALLOW_EMBEDDED']],
    ['MAIL_FROM', ['MAIL_FROM']],
    ['ALLOW_EMBEDDED', ['ALLOW_EMBEDDED', 'ALLOW_EMBEDDED']],
  ])('%s is required', (name, lines) => expect(settingNames({ ...production, [name]: undefined })).toEqual(lines))

  test.each(['http://join.example', 'http://10.0.0.5:3000', 'http://127.0.0.1.example', 'http://localhost.example'])(
    '8.1 payments need https: PUBLIC_URL=%s',
    (PUBLIC_URL) =>
      expect(settingErrors({ ...production, PUBLIC_URL })).toEqual([
        'PUBLIC_URL must start with https:// in production: cards and passwords are sent there',
      ]),
  )

  test.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'a trial on this machine needs no certificate: PUBLIC_URL=%s',
    (PUBLIC_URL) => expect(settingErrors({ ...production, PUBLIC_URL })).toEqual([]),
  )

  test.each(['https://join.example', 'HTTPS://join.example', 'https://203.0.113.9:8443', 'https://contest.example'])(
    '8.1 a public site requires NODE_ENV=production: PUBLIC_URL=%s',
    (PUBLIC_URL) => {
      const problem = [expect.stringMatching(/^PUBLIC_URL=https:\S+ needs NODE_ENV=production: /)]
      expect(settingErrors({ PUBLIC_URL })).toEqual(problem)
      expect(settingErrors({ PUBLIC_URL, NODE_ENV: 'development' })).toEqual(problem)
    },
  )

  test.each(['https://localhost:3000', 'https://foyer.test', 'https://foyer.test:8443', 'http://127.0.0.1:3000'])(
    'an address of this machine does not require NODE_ENV=production: PUBLIC_URL=%s',
    (PUBLIC_URL) => expect(settingErrors({ PUBLIC_URL })).toEqual([]),
  )

  test('8.1 ALLOW_EMBEDDED names parts that exist', () =>
    expect(settingErrors({ ...production, ALLOW_EMBEDDED: 'payments,phone' })).toEqual([
      "ALLOW_EMBEDDED must be a list of: database, payment, phone, mail; got 'payments,phone'",
    ]))

  test('8.1 a vendor that does not exist is one problem, not two', () =>
    expect(settingErrors({ ...production, PAYMENT: 'paypal' })).toEqual([
      "PAYMENT must be one of: sandbox, authorizenet; got 'paypal'",
    ]))

  test('the development secret, which is public, is refused', () =>
    expect(settingNames({ ...production, SECRET: readConfig({}).SECRET })).toEqual(['SECRET']))

  test('20.4 any random secret is accepted, in base64 or hex', () => {
    const secrets = (['base64', 'base64url', 'hex'] as const).flatMap((encoding) =>
      Array.from({ length: 300 }, () => randomBytes(32).toString(encoding)),
    )
    expect(secrets.filter((secret) => !isStrongSecret(secret))).toEqual([])
  })

  test('20.4 npm run secret prints one', () => {
    const secret = execFileSync(process.execPath, ['scripts/secret.mjs'], { encoding: 'utf8' })
    expect(readConfig({ ...production, SECRET: secret }).SECRET).toBe(secret.trim())
  })
})
