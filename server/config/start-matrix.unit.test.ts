import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_SECRET, withTestPagesToken } from '#server/test/generous-settings.ts'
import { runProgram, startServer } from '#server/test/process.ts'
import { production, settingErrors } from '#server/test/settings.ts'

type Env = Record<string, string>
type Row = [what: string, env: Env, ...sentences: string[]]

const hexId = '0123456789abcdef'.repeat(2)
const cards = {
  PAYMENT: 'authorizenet',
  AUTHORIZENET_LOGIN_ID: 'login',
  AUTHORIZENET_TRANSACTION_KEY: 'key',
  AUTHORIZENET_BASE_URL: 'https://api.pay.example',
}
const phones = {
  PHONE: 'twilio',
  TWILIO_ACCOUNT_SID: `AC${hexId}`,
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_SERVICE_SID: `VA${hexId}`,
}
const captcha = { CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'site key', CAPTCHA_SECRET: 'captcha secret' }
const onlyReal = { ...production, ...cards, ...phones, ALLOW_EMBEDDED: '' }
const trial = {
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  PUBLIC_URL: 'http://localhost:3000',
  ALLOW_EMBEDDED: 'database,payment,phone,mail',
}
const without = (env: Env, ...names: string[]): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))

const network = (setting: string) =>
  `${setting} needs NODE_ENV=production: otherwise everyone on the network could read codes and emails. ` +
  'To show a development site there anyway, set UNSAFE_DEVELOPMENT_ON_NETWORK=on'
const vendor = (setting: string) =>
  `${setting} needs NODE_ENV=production: a development site reaches only vendors on this machine`
const noSecret =
  'SECRET is required in production: 32 random bytes, the same for every process. `npm run secret` prints them'
const weakSecret =
  'SECRET must be 32 random bytes in base64 or hex, as `npm run secret` prints them. If the database has keys under ' +
  'a weaker one, set that one as SECRET_PREVIOUS beside the new SECRET'
const plainDatabase =
  'DATABASE_URL must contain sslmode=verify-full, because the database is on another machine. ' +
  'On a network of your own, ALLOW_UNENCRYPTED=database allows it without TLS'
const notEmbedded = (part: string) =>
  `ALLOW_EMBEDDED does not list ${part}: in production every embedded part must be allowed by name`

const host = { PROVIDER_API_URL: 'http://127.0.0.1:20003/v1', PROVIDER_OFFICE_HOSTS: 'office.example' }
const apiHost = { ...host, PROVIDER_API_URL: 'https://api.example/v1' }
const noOffice = 'PROVIDER_OFFICE_HOSTS is required with PROVIDER_API_URL: the hosts that a new member may be sent to'
const noHost = (name: string) =>
  `PROVIDER_API_URL is required with ${name}: the API host that the site runs in front of`

const wrong: Row[] = [
  // Development is for this machine.
  ['development on every interface', { HOST: '0.0.0.0' }, network('HOST=0.0.0.0')],
  ['development on every IPv6 interface', { HOST: '::' }, network('HOST=::')],
  ['development on a private address', { HOST: '192.168.1.20' }, network('HOST=192.168.1.20')],
  ['development under a name of the network', { HOST: 'build.local' }, network('HOST=build.local')],
  ['a test run on every interface', { NODE_ENV: 'test', HOST: '0.0.0.0' }, network('HOST=0.0.0.0')],
  ['metrics of development on every interface', { OPS_PORT: '9090', OPS_HOST: '0.0.0.0' }, network('OPS_HOST=0.0.0.0')],
  [
    'development behind a public address',
    { PUBLIC_URL: 'https://join.example' },
    network('PUBLIC_URL=https://join.example'),
  ],
  [
    'development behind a private address',
    { PUBLIC_URL: 'http://10.0.0.5:3000' },
    network('PUBLIC_URL=http://10.0.0.5:3000'),
  ],
  [
    'development with a host of the network',
    { SITE_HOSTS: 'localhost:3000,join.example' },
    network('SITE_HOSTS=join.example'),
  ],
  ['real cards in development', cards, vendor('PAYMENT=authorizenet')],
  [
    'the vendor’s own test system in development',
    { ...cards, AUTHORIZENET_BASE_URL: 'https://apitest.pay.example' },
    vendor('PAYMENT=authorizenet'),
  ],
  ['real codes in development', phones, vendor('PHONE=twilio')],
  ['real emails in development', { MAIL: 'smtps://name:password@mail.example' }, vendor('MAIL')],
  [
    'the review’s finding: every interface, real cards, the public secret',
    { ...cards, HOST: '0.0.0.0' },
    network('HOST=0.0.0.0'),
    vendor('PAYMENT=authorizenet'),
  ],
  [
    'real cards on a development site that is shown on a network',
    { ...cards, HOST: '0.0.0.0', UNSAFE_DEVELOPMENT_ON_NETWORK: 'on' },
    vendor('PAYMENT=authorizenet'),
  ],
  [
    'real emails on a development site that is shown on a network',
    { MAIL: 'smtp://mail.example', UNSAFE_DEVELOPMENT_ON_NETWORK: 'on' },
    vendor('MAIL'),
  ],
  [
    'the warning setting with another word',
    { UNSAFE_DEVELOPMENT_ON_NETWORK: 'yes' },
    "UNSAFE_DEVELOPMENT_ON_NETWORK must be one of: off, on; got 'yes'",
  ],

  // Production asks for strength.
  [
    'production without anything',
    { NODE_ENV: 'production' },
    noSecret,
    'PUBLIC_URL is required in production: the address that visitors type',
    ...['database', 'payment', 'phone', 'mail'].map(notEmbedded),
  ],
  ['no secret', without(production, 'SECRET'), noSecret],
  [
    'the public secret',
    { ...production, SECRET: 'foyer development secret' },
    'SECRET must not be the public development secret',
  ],
  ['a passphrase', { ...production, SECRET: 'correct horse battery staple' }, weakSecret],
  ['a long passphrase', { ...production, SECRET: 'correct horse battery staple, twice over and over' }, weakSecret],
  ['a secret of 16 bytes', { ...production, SECRET: 'f1a94c07e2b85d3690c7a1e4d8352bf6' }, weakSecret],
  ['a secret of one character', { ...production, SECRET: 'a'.repeat(64) }, weakSecret],
  ['a repeated word', { ...production, SECRET: 'Changeme123'.repeat(5) }, weakSecret],
  ['digits in order', { ...production, SECRET: hexId.repeat(2) }, weakSecret],
  ['bytes in order', { ...production, SECRET: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }, weakSecret],
  [
    'a secret from a file that is not there',
    { ...without(production, 'SECRET'), SECRET_FILE: '/nowhere/secret' },
    'SECRET_FILE names a file that cannot be read (ENOENT): /nowhere/secret',
    noSecret,
  ],
  [
    'a secret that is set twice',
    { ...production, SECRET_FILE: '/nowhere/secret' },
    'SECRET_FILE must not be set together with SECRET',
  ],
  [
    'a port from a file',
    { ...production, PORT_FILE: '/nowhere/port' },
    'PORT_FILE is not a setting: only secrets are read from files',
  ],
  [
    'no address',
    without(production, 'PUBLIC_URL'),
    'PUBLIC_URL is required in production: the address that visitors type',
  ],
  [
    'an address without https',
    { ...production, PUBLIC_URL: 'http://join.example' },
    'PUBLIC_URL must start with https:// in production: cards and passwords are sent there',
  ],
  [
    'an office without https',
    { ...production, OFFICE_URL: 'http://office.example' },
    'OFFICE_URL must start with https:// in production: links to it carry a sign-in token',
  ],
  [
    'a database on another machine without TLS',
    { ...production, DATABASE_URL: 'postgres://foyer:hunter2@db.example/foyer' },
    plainDatabase,
  ],
  [
    'a database whose certificate is not verified',
    { ...production, DATABASE_URL: 'postgres://foyer@db.example/foyer?sslmode=no-verify' },
    plainDatabase,
  ],
  [
    'a database whose TLS the driver will weaken',
    { ...production, DATABASE_URL: 'postgres://foyer@db.example/foyer?sslmode=require' },
    plainDatabase,
  ],
  [
    'a database whose TLS is turned off again',
    { ...production, DATABASE_URL: 'postgres://foyer@db.example/foyer?sslmode=verify-full&sslmode=disable' },
    plainDatabase,
  ],
  [
    'a database that only looks as if it were on this machine',
    { ...production, DATABASE_URL: 'postgres://foyer@localhost/foyer?host=db.example' },
    plainDatabase,
  ],
  [
    'one of several databases on another machine without TLS',
    { ...production, DATABASE_URL: 'postgres://foyer@localhost,db.example/foyer' },
    plainDatabase,
  ],
  [
    'a replica on another machine without TLS',
    { ...production, DATABASE_REPLICA_URL: 'postgres://foyer@db.example/foyer' },
    plainDatabase.replace('DATABASE_URL', 'DATABASE_REPLICA_URL'),
  ],
  [
    'plain connections allowed for another part',
    { ...production, DATABASE_URL: 'postgres://foyer@db.example/foyer', ALLOW_UNENCRYPTED: 'mail' },
    plainDatabase,
  ],
  [
    'plain connections allowed for a part that has none',
    { ...production, ALLOW_UNENCRYPTED: 'payment' },
    "ALLOW_UNENCRYPTED must be a list of: database, mail; got 'payment'",
  ],
  [
    'cards sent without https',
    { ...onlyReal, AUTHORIZENET_BASE_URL: 'http://api.pay.example' },
    "AUTHORIZENET_BASE_URL must be a URL that starts with https://; got 'http://api.pay.example'",
  ],
  [
    'cards sent without https to a simulated gateway',
    { ...production, PAYMENT_SANDBOX_URL: 'http://sandbox.example' },
    "PAYMENT_SANDBOX_URL must be a URL that starts with https://; got 'http://sandbox.example'",
  ],
  ['an embedded part that is not allowed', { ...production, ALLOW_EMBEDDED: 'payment' }, notEmbedded('phone')],
  [
    'keys of a vendor that is not chosen',
    { ...production, AUTHORIZENET_LOGIN_ID: 'login' },
    'PAYMENT is required with AUTHORIZENET_LOGIN_ID: the default, sandbox, does not use it',
  ],
  [
    'a vendor without its key',
    without(onlyReal, 'AUTHORIZENET_TRANSACTION_KEY'),
    'AUTHORIZENET_TRANSACTION_KEY is required with PAYMENT=authorizenet',
  ],
  [
    'real payments without real codes',
    { ...production, ...cards },
    'PHONE=sandbox sends no codes, and payments may require one: set PHONE=twilio, or both BREAKER_DECLINES=off and PHONE_VERIFICATION=off',
  ],
  [
    'real emails without a sender',
    without(production, 'MAIL_FROM'),
    'MAIL_FROM is required with a real MAIL: the address that emails come from and replies go to',
  ],
  [
    'the warning setting in production',
    { ...production, UNSAFE_DEVELOPMENT_ON_NETWORK: 'on' },
    'UNSAFE_DEVELOPMENT_ON_NETWORK is for development: remove it in production',
  ],
  [
    'one port for visitors and metrics',
    { ...production, PORT: '8080', OPS_PORT: '8080' },
    'OPS_PORT must differ from PORT',
  ],
  [
    'a port that does not exist',
    { ...production, OPS_PORT: '0' },
    "OPS_PORT must be a whole number from 1 to 65535; got '0'",
  ],
  [
    'a proxy that is everyone',
    { ...production, TRUST_PROXY: '0.0.0.0/0' },
    "TRUST_PROXY must name your proxies only: its public networks together are as large as a /8 (IPv6: a /16), so visitors could forge their addresses; got '0.0.0.0/0'",
  ],
  [
    'an environment with another name',
    { ...production, NODE_ENV: 'staging' },
    "NODE_ENV must be one of: development, production, test; got 'staging'",
    network('PUBLIC_URL=https://join.example'),
    vendor('MAIL'),
  ],
  ['half of an API host', without(host, 'PROVIDER_OFFICE_HOSTS'), noOffice],
  ...['ENCODING', 'OFFICE_HOSTS', 'HEADERS', 'HIDDEN_FIELDS', 'DEADLINE'].map((name): Row => {
    const value = { ENCODING: 'form', OFFICE_HOSTS: 'office.example', DEADLINE: '9' }[name] ?? '{}'
    return [`the other half: ${name}`, { [`PROVIDER_${name}`]: value }, noHost(`PROVIDER_${name}`)]
  }),
  [
    'an API host of the network in development',
    { ...host, PROVIDER_API_URL: 'https://api.example/v1' },
    vendor('PROVIDER_API_URL'),
  ],
  [
    'an API host without https',
    { ...production, ...host, PROVIDER_API_URL: 'http://api.example/v1' },
    "PROVIDER_API_URL must be a URL that starts with https://; got 'http://api.example/v1'",
  ],
  [
    'an API host on this machine without https in production',
    { ...production, ...host },
    'PROVIDER_API_URL must start with https:// in production: cards and passwords are sent there',
  ],
  [
    'an API host beside vendors of our own',
    { ...onlyReal, ...apiHost },
    'PAYMENT=authorizenet cannot be used with PROVIDER_API_URL: the API host charges the cards',
    'PHONE=twilio cannot be used with PROVIDER_API_URL: the API host sends the codes',
  ],
  [
    'hidden fields that the form sends',
    { ...host, PROVIDER_HIDDEN_FIELDS: '{"level":"Member","cc_cvv":"1"}' },
    'PROVIDER_HIDDEN_FIELDS must not name cc_cvv: the form sends it',
  ],
  ...['Member', '["level"]', '{"level":{}}', '{"le vel":"1"}'].map(
    (text): Row => [
      `hidden fields that are ${text}`,
      { ...host, PROVIDER_HIDDEN_FIELDS: text },
      `PROVIDER_HIDDEN_FIELDS must be a JSON object of fields and their values, such as {"level":"Member"}; got '${text}'`,
    ],
  ),
  [
    'headers that are ours',
    { ...host, PROVIDER_HEADERS: '{"Content-Type":"text/plain"}' },
    'PROVIDER_HEADERS must be a JSON object of headers and their values, such as {"x-api-key":"…"}',
  ],
  ['a typo', { ...production, OPS_POST: '9090' }, 'OPS_POST is not a setting. Did you mean OPS_PORT?'],
]

const right: [what: string, env: Env][] = [
  ['nothing set', {}],
  [
    'stand-ins of the vendors on this machine',
    {
      ...cards,
      AUTHORIZENET_BASE_URL: 'http://127.0.0.1:20001',
      ...phones,
      TWILIO_BASE_URL: 'http://localhost:20002',
      MAIL: 'smtp://127.0.0.1:2525',
    },
  ],
  ['a captcha vendor in development', captcha],
  ['a development site that is shown on a network', { HOST: '0.0.0.0', UNSAFE_DEVELOPMENT_ON_NETWORK: 'on' }],
  ['a trial of production on this machine', trial],
  ['production with every real part', { ...onlyReal, ...captcha }],
  ['production with the database on this machine', { ...onlyReal, DATABASE_URL: 'postgres://foyer@127.0.0.1/foyer' }],
  [
    'production with a Unix socket',
    { ...onlyReal, DATABASE_URL: 'postgres://foyer@localhost/foyer?host=/run/postgresql' },
  ],
  [
    'production with a pooler on a private network',
    {
      ...onlyReal,
      DATABASE_URL: 'postgres://foyer:hunter2@pooler:6432/foyer',
      ALLOW_UNENCRYPTED: 'database',
      HOST: '0.0.0.0',
    },
  ],
  ['an API host on this machine in development', { ...host, PROVIDER_HEADERS: '{"x-api-key":"k"}' }],
  ['production in front of an API host', { ...production, ...apiHost, ALLOW_EMBEDDED: '' }],
  [
    'a trial of production in front of an API host on this machine',
    { ...trial, ...host, ALLOW_EMBEDDED: 'database,mail' },
  ],
  ['production with metrics on a port of their own', { ...onlyReal, OPS_PORT: '9090', OPS_HOST: '10.0.0.5' }],
]

describe('the start is refused', () => {
  test.each(wrong)('20.1 20.10 %s', (_what, env, ...sentences) => expect(settingErrors(env)).toEqual(sentences))
  test('20.10 in at least forty ways', () => expect(wrong.length).toBeGreaterThanOrEqual(40))
})

describe('the start is allowed', () => {
  test.each(right)('20.10 %s', (_what, env) => expect(settingErrors(env)).toEqual([]))
})

describe('a process', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foyer-matrix-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const name = 'the review’s finding: every interface, real cards, the public secret'
  test.each(wrong.filter(([what]) => what === name))('20.10 stops: %s', async (_what, env, ...sentences) => {
    const program = runProgram('server/main.mjs', [], { DATA_DIR: join(folder, 'unused'), ...env })
    expect(await program.ended).toMatchObject({ code: 1 })
    expect(program.output()).toBe(`Invalid settings:\n${sentences.map((line) => `  ${line}\n`).join('')}`)
  })

  test('20.10 starts: nothing set, and then as a trial of production on the same data', async () => {
    const DATA_DIR = join(folder, 'data')
    const development = await startServer({ DATA_DIR, SECRET: TEST_SECRET })
    expect((await fetch(`${development.url}/master`)).status).toBe(200)
    development.child.kill()
    await development.ended
    const production = await startServer({ ...without(trial, 'PUBLIC_URL'), DATA_DIR })
    expect((await fetch(`${production.url}${withTestPagesToken('/__outbox')}`)).status).toBe(404)
    production.child.kill()
    await production.ended
  }, 120_000)
})
