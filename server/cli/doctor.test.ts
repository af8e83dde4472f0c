import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { inTransaction } from '#server/db/db.ts'
import { dropTables } from '#server/db/migrate.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { callCommand } from '#server/test/command.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { startVendors } from '#server/test/vendors.ts'
import { clock } from '#server/world/world.ts'
import { main } from './doctor.ts'

let folder: string
let settings: Record<string, string>
let vendors: Awaited<ReturnType<typeof startVendors>>
let mail: SMTPServer
let database: Awaited<ReturnType<typeof testDatabase>>
let kid = ''
const received: string[] = []
const site = createServer((_request, response) => response.end(JSON.stringify({ keys: [{ kid }] })))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-doctor-'))
  database = await testDatabase()
  vendors = await startVendors(clock)
  mail = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'foyer' }) : done(new Error('wrong password')),
    onData: (stream, session, done) => {
      stream.resume()
      stream.on('end', () => {
        received.push(...session.envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
  })
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  settings = {
    DATA_DIR: join(folder, 'data'),
    PUBLIC_URL: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    ...vendors.settings,
    MAIL: `smtp://foyer:right@127.0.0.1:${(mail.server.address() as AddressInfo).port}`,
    ...(database.url ? { DATABASE_URL: database.url } : {}),
  }
  if (isPostgres) kid = (await openKeys(database.db, readConfig(settings), { now: clock })).signing.kid
})
afterAll(async () => {
  await Promise.all([vendors.close(), database.close()])
  mail.close()
  site.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs `npm run doctor -- …`. */
async function doctor(changes: Record<string, string> = {}, ...args: string[]) {
  const { code, output } = await callCommand(main, args, { ...settings, ...changes })
  const lines = output.split('\n')
  const verdict = (part: string) => lines.find((line) => line.slice(7).startsWith(`${part} `)) ?? ''
  return { code, output, verdict }
}

it.runIf(isPostgres)('20.8 the doctor says that everything works, and charges and sends nothing', async () => {
  const { code, output } = await doctor()
  expect(output.replace(/PostgreSQL at \S+, version \S+,/, 'PostgreSQL …,').split('\n')).toEqual([
    'ok     database  PostgreSQL …, it can write, on this machine.',
    'ok     keys      SECRET opens them.',
    'ok     payment   The credentials are accepted, and a payment can be looked up.',
    'ok     phone     The credentials are accepted. To get a code, add: -- --phone +12025550123',
    'ok     captcha   Our own, so there is nothing to try.',
    'ok     mail      The mail server accepts us. To get an email, add: -- --email you@example.com',
    `ok     site      ${settings.PUBLIC_URL} answers, with the keys of this database.`,
    'ok     clock     The clock of this machine and that of the site agree.',
    '',
    'Everything works.',
    '',
  ])
  expect(code).toBe(0)
  expect([vendors.payments.entries.size, vendors.codes.sent, received]).toEqual([0, [], []])
})

it.runIf(isPostgres)('20.8 the doctor sends a test email and a code if asked to', async () => {
  const { code, verdict } = await doctor({}, '--email', 'you@example.com', '--phone', '+12025550147')
  expect(verdict('mail')).toMatch(
    /^ok {5}mail {6}The mail server accepts us, and has taken an email from .* to you@example\.com\.$/,
  )
  expect(verdict('phone')).toBe('ok     phone     The credentials are accepted, and a code was sent to +12025550147.')
  expect(code).toBe(0)
  expect([vendors.codes.sent.map(({ to }) => to), received]).toEqual([['+12025550147'], ['you@example.com']])
})

it.runIf(isPostgres).each<[what: string, changes: Record<string, string>, part: string, sentence: string | RegExp]>([
  [
    'a wrong SECRET',
    { SECRET: 'another secret of this test' },
    'keys',
    /SECRET is not the one that this database’s keys were encrypted with\./,
  ],
  [
    'a database that is away',
    { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    'database',
    'The database in DATABASE_URL does not answer.',
  ],
  [
    'wrong keys of the payment gateway',
    { AUTHORIZENET_LOGIN_ID: 'another' },
    'payment',
    'Authorize.Net refused with E00007: AUTHORIZENET_LOGIN_ID or AUTHORIZENET_TRANSACTION_KEY is wrong.',
  ],
  [
    'a wrong token',
    { TWILIO_AUTH_TOKEN: 'x' },
    'phone',
    'Twilio refused: TWILIO_ACCOUNT_SID or TWILIO_AUTH_TOKEN is wrong.',
  ],
  ['a mail server that is away', { MAIL: 'smtp://127.0.0.1:1' }, 'mail', /The mail server in MAIL does not answer/],
  [
    'a site that does not run',
    { PUBLIC_URL: 'http://127.0.0.1:59997' },
    'site',
    /does not answer \(ECONNREFUSED\)\. Is the site running\?/,
  ],
])('20.8 the doctor finds %s and tries the others', async (_what, changes, part, sentence) => {
  const { code, output, verdict } = await doctor(changes)
  expect(verdict(part)).toMatch(/^WRONG {2}/)
  if (sentence instanceof RegExp) expect(verdict(part)).toMatch(sentence)
  else expect(verdict(part)).toContain(sentence)
  for (const other of ['payment', 'phone', 'mail'].filter((name) => name !== part))
    expect(verdict(other)).toMatch(/^ok/)
  expect(output).toContain('Something is wrong: see the lines above.')
  expect(output).not.toContain('    at ')
  expect(code).toBe(1)
})

it.runIf(isPostgres)(
  '20.8 the doctor finds a gateway that looks nothing up, and a site with another database',
  async () => {
    vendors.payments.failNext('getUnsettledTransactionListRequest', 'E00011')
    kid = 'another'
    const { code, verdict } = await doctor()
    expect(verdict('payment')).toContain('a payment cannot be looked up: Authorize.Net refused with E00011')
    expect(verdict('site')).toMatch(/^WRONG .* answers, but as a site with another database\.$/)
    expect(code).toBe(1)
  },
)

it.runIf(isPostgres)('20.8 on a database without tables the doctor says what to do, without SQL', async () => {
  const empty = await testDatabase()
  await inTransaction(empty.db, dropTables)
  const { output } = await doctor({ DATABASE_URL: empty.url ?? '' })
  await empty.close()
  expect(output).toMatch(/^WRONG {2}database {2}This database has no tables yet\. First run: npm run db -- migrate\n/)
  expect(output).toContain('ok     keys      There are none yet. The first start creates them.\n')
})

it('20.8 the doctor explains wrong settings and wrong options', async () => {
  const invalid = await doctor({ HOST: '0.0.0.0' })
  expect(invalid).toMatchObject({ code: 1, output: expect.stringContaining('HOST=0.0.0.0 needs NODE_ENV=production') })
  for (const [args, sentence] of [
    [['--email', 'nobody'], "'nobody' is not an email address."],
    [['--phone', '2025550147'], "'2025550147' is not a phone number with + and its country code."],
    [['--mail', 'x'], "Unknown option '--mail'"],
  ] as const) {
    const { code, output } = await doctor({}, ...args)
    expect([code, output.split('\n')[0]]).toEqual([2, sentence])
    expect(output).toContain('npm run doctor')
  }
  expect(await doctor({}, '--help')).toMatchObject({ code: 0, output: expect.stringContaining('--phone NUMBER') })
})

it('20.8 with embedded parts the doctor sends nothing, and says so', async () => {
  const embedded = { DATA_DIR: join(folder, 'embedded'), ...(database.url ? { DATABASE_URL: database.url } : {}) }
  const { code, output } = await callCommand(main, ['--phone', '+12025550147', '--email', 'you@example.com'], embedded)
  expect(code).toBe(1)
  expect(output).toContain('ok     payment   Embedded stand-in, so there is nothing to try.')
  expect(output).toContain('WRONG  phone     PHONE=sandbox sends no codes, so none was sent.')
  expect(output).toContain('WRONG  mail      MAIL=outbox sends no emails, so none was sent.')
})

it('20.8 the doctor refuses a list of proxies that is half the internet', async () => {
  const { code, output } = await doctor({ TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1' })
  expect([code, output]).toEqual([1, expect.stringContaining('TRUST_PROXY must name your proxies only')])
})
