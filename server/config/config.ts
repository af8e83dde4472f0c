import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { Operator } from '#contract/receipts.ts'
import { OperatorError } from '#server/operator-error.ts'
import { checkTogether } from './checks.ts'
import { needsTls } from './encryption.ts'
import { operatorOf } from './operator.ts'
import type { EMBEDDED_PARTS } from './rules.ts'
import { DEVELOPMENT_SECRET } from './secret.ts'
import { type Env, readSecretFiles } from './secret-files.ts'
import { isSecret, type Settings, settings } from './settings.ts'

export type Config = Settings & {
  LOG_LEVEL: string
  PUBLIC_URL: string
  SECRET: string
  /** Opens the pages /__…, which production doesn't have. */
  TEST_PAGES_TOKEN: string
  OFFICE_URL: string
  production: boolean
  /** Which parts are our own stand-ins for a real database or vendor. */
  embedded: string[]
  /** Emails are sent only over TLS. */
  requiresMailTls: boolean
  operator: Operator
}

/** Lists everything that is wrong, so that one restart is enough to fix it. */
export class InvalidSettings extends OperatorError {
  constructor(problems: string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/** Reads and checks the environment once. No other file reads process.env. */
export function readConfig(variables: Env = process.env): Config {
  const { env, problems } = readSecretFiles(variables)
  const { values, problems: invalid } = checkOneByOne(env)
  const embedded = embeddedParts(values)
  problems.push(...invalid, ...checkTogether(values, embedded, env))
  if (problems.length) throw new InvalidSettings(problems)
  return withDefaults(values as Settings, embedded)
}

function checkOneByOne(env: Env): { values: Partial<Settings>; problems: string[] } {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, rule] of Object.entries<z.ZodMiniType>(settings)) {
    const text = env[name]?.trim() || undefined
    const { success, data, error } = z.safeParse(rule, text)
    if (success) values[name] = data
    else problems.push(`${name} ${error.issues[0]?.message}${mayBeSecret(name, text) ? '' : `; got '${text}'`}`)
  }
  return { values, problems }
}

const mayBeSecret = (name: string, text = '') => isSecret(name) || text.includes('@')

function embeddedParts(values: Partial<Settings>): string[] {
  const isEmbedded: Record<(typeof EMBEDDED_PARTS)[number], boolean> = {
    database: 'DATABASE_URL' in values && !values.DATABASE_URL, // an invalid one is missing here, and is not embedded
    payment: values.PAYMENT === 'sandbox' && !values.PROVIDER_API_URL,
    phone: values.PHONE === 'sandbox' && !values.PROVIDER_API_URL,
    mail: values.MAIL === 'outbox',
  }
  return Object.entries(isEmbedded).flatMap(([part, embedded]) => (embedded ? [part] : []))
}

/** New with every start. */
const randomToken = randomBytes(18).toString('base64url')

/** Some defaults depend on other settings. */
function withDefaults(settings: Settings, embedded: string[]): Config {
  const production = settings.NODE_ENV === 'production'
  const PUBLIC_URL = settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`
  return {
    ...settings,
    LOG_LEVEL: settings.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    PUBLIC_URL,
    ...(settings.PROVIDER_API_URL ? { PAYMENT_DEADLINE_SECONDS: settings.PROVIDER_DEADLINE } : {}),
    SECRET: settings.SECRET ?? DEVELOPMENT_SECRET,
    TEST_PAGES_TOKEN: settings.TEST_PAGES_TOKEN ?? randomToken,
    OFFICE_URL: settings.OFFICE_URL ?? `${PUBLIC_URL}/office`,
    SITE_HOSTS: settings.SITE_HOSTS.length ? settings.SITE_HOSTS : [new URL(PUBLIC_URL).host],
    production,
    embedded,
    requiresMailTls: production && needsTls('mail', settings),
    operator: operatorOf(settings),
  }
}
