import { join } from 'node:path'
import type { Config } from '#server/config/config.ts'
import { type Database, type Db, openDatabase } from '#server/db/db.ts'
import { prepareDatabase } from '#server/db/prepare.ts'
import type { Accounts } from '#server/gateways/account.ts'
import { openCaptchaGateway } from '#server/gateways/captcha/open.ts'
import type { CaptchaGateway } from '#server/gateways/captcha/port.ts'
import { outboxMail } from '#server/gateways/mail/outbox.ts'
import type { MailGateway } from '#server/gateways/mail/port.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { openSmsGateway } from '#server/gateways/sms/open.ts'
import type { SmsGateway } from '#server/gateways/sms/port.ts'
import type { Log } from '#server/log.ts'
import { type Keys, openKeys } from '#server/secrets/secrets.ts'
import { type GatewayCalls, watchGateway } from './gateway-watch.ts'
import { mayTurnClock, openTestClock, type TestClock } from './test-clock.ts'

/** Everything outside that a use case may use. Tests and drills pass in their own. */
export type World = {
  config: Config
  db: Db
  /** The only clock. SQL gets the time as a parameter. */
  now: () => Date
  /** The same clock, where it can be turned. */
  testClock?: TestClock | undefined
  keys: Keys
  log: Log
  /** One line that describes the database. */
  database: string
  payment: PaymentGateway
  paymentCalls: GatewayCalls
  sms: SmsGateway
  captcha: CaptchaGateway
  mail: MailGateway
  /** Whether the vendors accept our credentials, see accounts.ts. */
  accounts: Accounts
}

/** The system clock. */
export const clock = () => new Date()

type Options = {
  config: Config
  log: Log
  /** Reports progress to the operator. */
  print?: (line: string) => void
  now?: () => Date
  database?: Database
}

/** Opens and migrates the database, and connects the gateways that the settings name. */
export async function createWorld({
  config,
  log,
  print = () => undefined,
  now: systemNow = clock,
  database,
}: Options): Promise<World & { close: () => Promise<void> }> {
  const connection = database ?? (await openDatabase(config))
  try {
    const testClock = mayTurnClock(config) ? openTestClock(join(config.DATA_DIR, 'clock.json'), systemNow) : undefined
    const now = testClock?.now ?? systemNow
    await prepareDatabase(connection, { production: config.production, now: now(), print })
    const { db } = connection
    const keys = await openKeys(db, config, { now, print })
    const { payment, calls: paymentCalls } = watchGateway(openPaymentGateway(config, now), { now, log })
    const host = new URL(config.PUBLIC_URL).hostname // without the port: phones match codes by host name
    return {
      config,
      db,
      database: connection.description,
      now,
      testClock,
      keys,
      log,
      payment,
      paymentCalls,
      sms: openSmsGateway(config, { db, now, hmacs: (text) => keys.hmacs('codes', text), host, log }),
      captcha: openCaptchaGateway(config, { db, now, log, secrets: () => keys.secrets('captcha') }),
      mail: config.MAIL === 'outbox' ? outboxMail({ db, now }) : await connectSmtp(config),
      accounts: new Map(),
      close: connection.close,
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Loaded only if a mail server is configured. */
export async function connectSmtp({ MAIL, MAIL_FROM, requiresMailTls }: Config): Promise<MailGateway> {
  const { smtpMail } = await import('#server/gateways/mail/smtp.ts')
  return smtpMail(MAIL, MAIL_FROM, { requiresTls: requiresMailTls })
}
