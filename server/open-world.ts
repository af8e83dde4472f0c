import { join } from 'node:path'
import { seed } from '#server/cli/seed.ts'
import type { Config } from '#server/config/config.ts'
import { type Database, openDatabase } from '#server/db/db.ts'
import { prepareDatabase } from '#server/db/prepare.ts'
import { openCaptchaGateway } from '#server/gateways/captcha/open.ts'
import { connectSmtp } from '#server/gateways/mail/open.ts'
import { outboxMail } from '#server/gateways/mail/outbox.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import { openSmsGateway } from '#server/gateways/sms/open.ts'
import type { Log } from '#server/log.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { watchGateway } from '#server/world/gateway-watch.ts'
import { mayAdvanceClock, openTestClock } from '#server/world/test-clock.ts'
import { clock, type World } from '#server/world/world.ts'

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
    const testClock = mayAdvanceClock(config)
      ? openTestClock(join(config.DATA_DIR, 'clock.json'), systemNow)
      : undefined
    const now = testClock?.now ?? systemNow
    await prepareDatabase(connection, {
      production: config.production,
      hasCatalog: !config.PROVIDER_API_URL,
      now: now(),
      seed,
      print,
    })
    const { db } = connection
    const keys = await openKeys(db, config, { now, print })
    const { payment, calls: paymentCalls } = watchGateway(openPaymentGateway(config, now), { now, log })
    const host = new URL(config.PUBLIC_URL).hostname // without the port: phones match codes by host name
    return {
      config,
      db,
      reader: connection.reader,
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
