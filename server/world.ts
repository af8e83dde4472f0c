import { storeConsentText } from './catalog/catalog.ts'
import type { Config } from './config/config.ts'
import { type Database, type Db, openDatabase } from './db/db.ts'
import { prepareDatabase } from './db/prepare.ts'
import { openCaptchaGateway } from './gateways/captcha/open.ts'
import type { CaptchaGateway } from './gateways/captcha/port.ts'
import { outboxMail } from './gateways/mail/outbox.ts'
import type { MailGateway } from './gateways/mail/port.ts'
import { openPaymentGateway } from './gateways/payment/open.ts'
import type { PaymentGateway } from './gateways/payment/port.ts'
import { openSmsGateway } from './gateways/sms/open.ts'
import type { SmsGateway } from './gateways/sms/port.ts'
import type { Log } from './log.ts'
import { type Keys, openKeys } from './secrets/secrets.ts'

/** Everything a use case may touch. Tests and drills hand over another one; nothing reaches around it. */
export type World = {
  config: Config
  db: Db
  /** The only clock: SQL is handed the time, it never asks. */
  now: () => Date
  keys: Keys
  log: Log
  /** The database in one honest line. */
  database: string
  payment: PaymentGateway
  sms: SmsGateway
  captcha: CaptchaGateway
  mail: MailGateway
}

/** The machine's own clock. */
export const clock = () => new Date()

type Making = {
  config: Config
  log: Log
  /** Tells the operator what is going on while it starts. */
  say?: (line: string) => void
  now?: () => Date
  database?: Database
}

/** Opens the database, brings it up to date, and connects the parts that the settings name. */
export async function createWorld({
  config,
  log,
  say = () => undefined,
  now = clock,
  database,
}: Making): Promise<World & { close: () => Promise<void> }> {
  const opened = database ?? (await openDatabase(config))
  try {
    await prepareDatabase(opened, { production: config.production, now: now(), say })
    const { db } = opened
    await storeConsentText(db)
    const keys = await openKeys(db, config.SECRET, now())
    const host = new URL(config.PUBLIC_URL).hostname // phones match codes by name, without the port
    return {
      config,
      db,
      database: opened.description,
      now,
      keys,
      log,
      payment: openPaymentGateway(config, now),
      sms: openSmsGateway(config, { db, now, key: keys.secret('codes'), host, log }),
      captcha: openCaptchaGateway(config, { db, now, log, key: keys.secret('captcha') }),
      mail: config.MAIL === 'outbox' ? outboxMail({ db, now }) : await bySmtp(config),
      close: opened.close,
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Fetched only by who has a mail server. */
async function bySmtp({ MAIL, MAIL_FROM }: Config): Promise<MailGateway> {
  const { smtpMail } = await import('./gateways/mail/smtp.ts')
  return smtpMail(MAIL, MAIL_FROM)
}
