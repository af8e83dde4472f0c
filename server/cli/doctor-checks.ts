import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { brand } from '#contract/brand.ts'
import type { Config } from '#server/config/config.ts'
import { needsTls } from '#server/config/encryption.ts'
import { type Database, openDatabase } from '#server/db/db.ts'
import { refuseNewer, requireSchema, tablesOf } from '#server/db/migrate.ts'
import type { AccountCheck } from '#server/gateways/account.ts'
import { CAPTCHA_OFF } from '#server/gateways/captcha/open.ts'
import { connectSmtp } from '#server/gateways/mail/open.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import { openSmsGateway } from '#server/gateways/sms/open.ts'
import type { SendResult } from '#server/gateways/sms/port.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { type Keys, openKeys } from '#server/secrets/secrets.ts'
import { clock } from '#server/world/world.ts'
import { commandLog } from './command-line.ts'

export type Options = {
  /** Gets a test email. */
  email?: string
  /** Gets a code. */
  phone?: string
}
export type Finding = { part: string; isFine: boolean; text: string }

/** What a check needs, and what it leaves for the next ones. */
type Patient = { config: Config; options: Options; database?: Database; keys?: Keys; siteTime?: Date }

/** Returns what it found, or throws what is wrong. */
type Check = (patient: Patient) => Promise<string>

const checks: Record<string, Check> = {
  database: checkDatabase,
  keys: checkKeys,
  provider: checkProvider,
  payment: checkPayment,
  phone: checkPhone,
  captcha: checkCaptcha,
  mail: checkMail,
  site: checkSite,
  clock: checkClock,
}

/** With PROVIDER_API_URL the host charges the cards and sends the codes. */
const isUnused: Record<string, (config: Config) => boolean> = {
  provider: ({ PROVIDER_API_URL }) => !PROVIDER_API_URL,
  payment: ({ PROVIDER_API_URL }) => Boolean(PROVIDER_API_URL),
  phone: ({ PROVIDER_API_URL }) => Boolean(PROVIDER_API_URL),
}

/** Tries every part, also after one has failed. Charges nothing, and sends only what the options ask for. */
export async function examine(config: Config, options: Options, report: (finding: Finding) => void): Promise<boolean> {
  const patient: Patient = { config, options }
  let isHealthy = true
  for (const [part, check] of Object.entries(checks)) {
    if (isUnused[part]?.(config)) continue
    const finding = await check(patient).then(
      (text) => ({ part, isFine: true, text }),
      (error: unknown) => ({ part, isFine: false, text: explainError(error) ?? String(error) }),
    )
    isHealthy &&= finding.isFine
    report(finding)
  }
  await patient.database?.close()
  return isHealthy
}

async function checkDatabase(patient: Patient): Promise<string> {
  const { config } = patient
  const database = await openDatabase(config, undefined, false)
  patient.database = database
  const { db, description } = database
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
  await requireSchema(db)
  await refuseNewer(db)
  await sql`update server_key set name = name where false`.execute(db) // a replica and a role that only reads refuse it
  const facts = [
    description,
    `version ${rows[0]?.version.split(' ', 1)[0]}`,
    'it can write',
    config.DATABASE_URL && encryption(config),
  ]
  return `${facts.filter(Boolean).join(', ')}.`
}

function encryption({ DATABASE_URL = '' }: Config): string {
  if (/[?&]sslmode=verify-full/.test(DATABASE_URL)) return 'over TLS with a verified certificate'
  return needsTls('database', { DATABASE_URL, ALLOW_UNENCRYPTED: [] })
    ? 'on another machine, not over verified TLS'
    : 'on this machine'
}

async function checkKeys(patient: Patient): Promise<string> {
  const { config, database } = patient
  if (!database) throw new OperatorError('Not tried, because the database cannot be opened.')
  const { db } = database
  if (!(await tablesOf(db)).has('server_key')) return 'There are none yet. The first start creates them.'
  const row = await db.selectFrom('server_key').select('name').limit(1).executeTakeFirst()
  if (!row) return 'There are none yet. The first start creates them.'
  patient.keys = await openKeys(db, config, { now: clock })
  return 'SECRET opens them.'
}

const EMBEDDED = 'Embedded stand-in, so there is nothing to try.'
const DEADLINE_MS = 20_000

async function checkCaptcha({ config: { CAPTCHA } }: Patient): Promise<string> {
  if (CAPTCHA === 'off') return CAPTCHA_OFF
  return CAPTCHA === 'altcha' ? 'Our own, so there is nothing to try.' : `${CAPTCHA} can only be tried in a browser.`
}

async function checkProvider({ config }: Patient): Promise<string> {
  const { checkHost } = await import('#server/provider/check-host.ts')
  return checkHost(config)
}

async function checkPayment({ config }: Patient): Promise<string> {
  if (config.PAYMENT === 'sandbox' && !config.PAYMENT_SANDBOX_URL) return EMBEDDED
  const gateway = openPaymentGateway(config, clock)
  requireAccount(await gateway.checkAccount(AbortSignal.timeout(DEADLINE_MS)))
  const query = { reference: randomBytes(10).toString('hex'), since: clock() }
  const { outcome } = await gateway.lookup(query, AbortSignal.timeout(DEADLINE_MS)).catch((error: Error) => {
    throw new OperatorError(`The credentials are accepted, but a payment cannot be looked up: ${error.message}`)
  })
  if (outcome !== 'not_found') throw new OperatorError('The credentials are accepted, but a look-up got no answer.')
  return 'The credentials are accepted, and a payment can be looked up.'
}

async function checkPhone({ config, options: { phone } }: Patient): Promise<string> {
  if (config.PHONE === 'sandbox') {
    if (phone) throw new OperatorError('PHONE=sandbox sends no codes, so none was sent.')
    return EMBEDDED
  }
  const log = commandLog(config)
  const unused = { db: undefined as never, now: clock, hmacs: () => [], host: '' } // only the stand-in needs them
  const gateway = openSmsGateway(config, { ...unused, log })
  requireAccount(await gateway.checkAccount())
  if (!phone) return 'The credentials are accepted. To get a code, add: -- --phone +12025550123'
  const result = await gateway.send(phone, 'sms')
  if (typeof result === 'object') throw new OperatorError(`No code was sent: ${result.says}`)
  if (result !== 'sent') throw new OperatorError(notSent[result])
  return `The credentials are accepted, and a code was sent to ${phone}.`
}

const notSent: Record<Exclude<SendResult, 'sent'>, string> = {
  unreachable: 'No code was sent: this number cannot get text messages.',
  too_often: 'No code was sent: this number has had too many. Try again in ten minutes.',
  blocked: 'No code was sent: the vendor sends none to this number or its country. See its geo permissions.',
  impossible: 'No code was sent: this number does not exist.',
  unknown: 'The vendor gave no answer that can be read; a code may have been sent. The log says more.',
}

async function checkMail({ config, options: { email } }: Patient): Promise<string> {
  if (config.MAIL === 'outbox') {
    if (email) throw new OperatorError('MAIL=outbox sends no emails, so none was sent.')
    return EMBEDDED
  }
  const gateway = await connectSmtp(config)
  requireAccount(await gateway.checkAccount())
  if (!email) return 'The mail server accepts us. To get an email, add: -- --email you@example.com'
  const text = `This is a test of the emails of ${config.PUBLIC_URL}. Nothing has to be done.`
  await gateway
    .send({ to: email, subject: `Test of ${brand.name}`, text, html: `<p>${text}</p>` })
    .catch((error: Error) => {
      throw new OperatorError(`No email was sent: ${error.message}.`)
    })
  return `The mail server accepts us, and has taken an email from ${config.MAIL_FROM} to ${email}.`
}

function requireAccount(check: AccountCheck): void {
  if (check.state !== 'ok') throw new OperatorError(check.why)
}

/** Asks for the public keys, as an office would, and compares them: another site may answer at this address. */
async function checkSite(patient: Patient): Promise<string> {
  const { PUBLIC_URL } = patient.config
  const reply = await fetch(`${PUBLIC_URL}/.well-known/jwks.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).catch((error: Error) => {
    const reason = Object(error.cause).code ?? error.message
    throw new OperatorError(`PUBLIC_URL=${PUBLIC_URL} does not answer (${reason}). Is the site running?`)
  })
  if (!reply.ok) throw new OperatorError(`PUBLIC_URL=${PUBLIC_URL} answers with status ${reply.status}.`)
  const date = reply.headers.get('date')
  if (date) patient.siteTime = new Date(date)
  const { keys = [] } = (await reply.json().catch(() => ({}))) as { keys?: { kid?: string }[] }
  const ours = patient.keys?.signing.kid
  if (ours && !keys.some(({ kid }) => kid === ours))
    throw new OperatorError(`PUBLIC_URL=${PUBLIC_URL} answers, but as a site with another database.`)
  return `${PUBLIC_URL} answers${ours ? ', with the keys of this database' : ''}.`
}

const MAX_SKEW_SECONDS = 30

async function checkClock({ siteTime }: Patient): Promise<string> {
  if (!siteTime) return 'Not compared, because the site gave no time.'
  const seconds = Math.round(Math.abs(clock().getTime() - siteTime.getTime()) / 1000)
  if (seconds > MAX_SKEW_SECONDS)
    throw new OperatorError(`The clock of this machine and that of the site differ by ${seconds} seconds. Set up NTP.`)
  return 'The clock of this machine and that of the site agree.'
}
