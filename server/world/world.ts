import type { Config } from '#server/config/config.ts'
import type { Db } from '#server/db/db.ts'
import type { Accounts } from '#server/gateways/account.ts'
import type { CaptchaGateway } from '#server/gateways/captcha/port.ts'
import type { MailGateway } from '#server/gateways/mail/port.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import type { SmsGateway } from '#server/gateways/sms/port.ts'
import type { Log } from '#server/log.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import type { GatewayCalls } from './gateway-watch.ts'
import type { TestClock } from './test-clock.ts'

/** Everything outside that a use case may use. Tests and drills pass in their own. */
export type World = {
  config: Config
  db: Db
  /** The replica while it keeps up, otherwise `db`: see `forReports`. */
  reader?: (() => Promise<Db>) | undefined
  /** The only clock. SQL gets the time as a parameter. */
  now: () => Date
  /** The same clock, where it can be advanced. */
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

/** For what may be a few seconds old: reports, exports, old events. Never for anything that decides about money. */
export const forReports = async <Part extends Pick<World, 'db' | 'reader'>>(world: Part): Promise<Part> => ({
  ...world,
  db: (await world.reader?.()) ?? world.db,
})

/** The system clock. */
export const clock = () => new Date()
