import * as z from 'zod/mini'
import { brand } from '#contract/brand.ts'
import { figures } from '#contract/figures.ts'
import { databaseUrl } from './database-url.ts'
import {
  anyOf,
  choice,
  contact,
  embeddedParts,
  fixedFields,
  headerNames,
  hosts,
  integer,
  limit,
  line,
  mail,
  onOff,
  origins,
  phoneCountries,
  port,
  proxies,
  sender,
  sid,
  siteUrl,
  text,
  threshold,
  timeZone,
  unencryptedParts,
  url,
  vendorUrl,
} from './rules.ts'

/** The largest number in a column of PostgreSQL. */
const MAX_ID = 2 ** 31 - 1

/** Every setting is one line: its name, what it may be, and its default. */
export const settings = {
  NODE_ENV: choice(['development', 'production', 'test']),
  PORT: integer(0, 65535, 3000),
  HOST: text('127.0.0.1'),
  LOG_LEVEL: z.optional(anyOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])),
  PUBLIC_URL: z.optional(siteUrl),
  SECRET: z.optional(z.string()),
  SECRET_PREVIOUS: z.optional(z.string()), // may be as weak as it was
  TRUST_PROXY: proxies,
  CLOSING_SECONDS: integer(0, 60, 0),
  SITE_HOSTS: hosts,
  CORS_ORIGINS: origins,
  HSTS_SUBDOMAINS: onOff,
  OPS_PORT: z.optional(port),
  OPS_HOST: text('127.0.0.1'),
  UNSAFE_DEVELOPMENT_ON_NETWORK: onOff,
  TEST_PAGES_TOKEN: z.optional(z.string().check(z.minLength(16, 'needs at least 16 characters'))),

  OPERATOR_NAME: z.optional(line(100)),
  OPERATOR_ADDRESS: z.optional(line(200)),
  SUPPORT_CONTACT: z.optional(contact),
  REFUND_TEXT: z.optional(line(600)),

  DATABASE_URL: z.optional(databaseUrl),
  DATABASE_REPLICA_URL: z.optional(databaseUrl),
  DATABASE_POOL: integer(1, 200, 10),
  DATA_DIR: text('data'),
  ALLOW_EMBEDDED: embeddedParts,
  ALLOW_UNENCRYPTED: unencryptedParts,

  PACKAGE_CATEGORY: integer(1, MAX_ID, figures.product_category_id),
  LANGUAGE_ID: integer(1, MAX_ID, figures.language_id),
  PRESELECTED_PACKAGE: integer(1, MAX_ID, figures.starter_product_id),
  START_STEP: choice(['ACCOUNT', 'PRODUCT_SELECTION']),
  AUTOSHIP: onOff,
  SPECIAL: onOff,
  PHONE_VERIFICATION: onOff,
  VOICE_CALL: onOff,
  COMMON_PASSWORDS: choice(['refuse', 'allow']),
  OFFICE_URL: z.optional(url('http:', 'https:')),
  ACCESS_SECONDS: integer(0, 600, figures.access_seconds),

  PROVIDER_API_URL: z.optional(vendorUrl),
  PROVIDER_HEADERS: headerNames,
  PROVIDER_ENCODING: choice(['json', 'form']),
  PROVIDER_OFFICE_HOSTS: hosts,
  PROVIDER_DEADLINE: integer(1, 120, 20),
  PROVIDER_HIDDEN_FIELDS: fixedFields,

  WEBHOOKS_TO_LOOPBACK: onOff,

  PAYMENT: choice(['sandbox', 'authorizenet']),
  PAYMENT_DEADLINE_SECONDS: integer(1, 120, 20),
  RENEWALS: choice(['on', 'off']),
  RENEWALS_AT_ONCE: integer(1, 200, 12),
  TIME_ZONE: timeZone('UTC'),
  PAYMENT_IN_FLIGHT_SECONDS: integer(1, 86_400, 1800),
  PAYMENT_SANDBOX_URL: z.optional(vendorUrl),
  AUTHORIZENET_LOGIN_ID: z.optional(z.string()),
  AUTHORIZENET_TRANSACTION_KEY: z.optional(z.string()),
  AUTHORIZENET_BASE_URL: z.optional(vendorUrl),
  PHONE_COUNTRIES: phoneCountries('US,CA,PR,GU,VI,AS,MP'),
  PHONE: choice(['sandbox', 'twilio']),
  TWILIO_ACCOUNT_SID: z.optional(sid('AC', 'SK')),
  TWILIO_AUTH_TOKEN: z.optional(z.string()),
  TWILIO_SERVICE_SID: z.optional(sid('VA')),
  TWILIO_BASE_URL: z.prefault(vendorUrl, 'https://verify.twilio.com'),
  CAPTCHA: choice(['altcha', 'turnstile', 'hcaptcha', 'recaptcha', 'off']),
  CAPTCHA_SITE_KEY: z.optional(z.string()),
  CAPTCHA_SECRET: z.optional(z.string()),
  CAPTCHA_BASE_URL: z.optional(vendorUrl),
  CAPTCHA_COST: integer(1, 10_000_000, 5000),
  CAPTCHA_COUNTER: integer(1, 1_000_000, 1000),
  MAIL: mail,
  MAIL_FROM: sender(`${brand.name} <hello@foyer.example>`),

  HASHES_AT_ONCE: integer(1, 64, 2),
  HASHES_WAITING: integer(1, 100_000, 400),

  MINIMUM_SECONDS: integer(0, 60, 3),

  LIMIT_ENROLLMENTS: limit('200/3600'),
  LIMIT_DECLINES: limit('20/3600'),
  LIMIT_DECLINES_BY_CARD: limit('5/86400'),
  LIMIT_DECLINES_BY_ENROLLMENT: limit('10/86400'),
  LIMIT_DECLINES_BY_PHONE: limit('5/86400'),
  PAYMENTS_AT_ONCE: integer(1, 100_000, 40),
  LIMIT_HITS: limit('300/86400'),
  LIMIT_MESSAGES: limit('300/86400'),
  LIMIT_LOOKUPS: limit('300/3600'),
  LIMIT_CHANGES: limit('30/3600'),
  LIMIT_CHALLENGES: limit('300/3600'),
  LIMIT_CODES_BY_ADDRESS: limit('20/3600'),
  LIMIT_CODES_BY_NUMBER: limit('5/3600'),
  LIMIT_CODES_BY_BLOCK: limit('30/3600'),
  LIMIT_CODES_BY_ENROLLMENT: limit('10/3600'),
  LIMIT_CODES: limit('1000/86400'),
  LIMIT_CODE_CHECKS: limit('30/3600'),
  LIMIT_GRANTS: limit('60/3600'),
  LIMIT_SIGN_INS: limit('20/900'),
  LIMIT_SIGN_INS_BY_NAME: limit('50/3600'),
  LIMIT_SECOND_FACTORS: limit('10/86400'),
  LIMIT_LETTERS: limit('10/3600'),
  LIMIT_LETTERS_BY_NAME: limit('3/3600'),
  LIMIT_CARD_DIGITS: limit('10/604800'),
  LIMIT_MEMBERS_READ: limit('240/3600'),
  LIMIT_API: limit('1200/60'),

  BREAKER_DECLINES: threshold('20/600/50'),
  BREAKER_CODES: threshold('40/3600/70'),
  BREAKER_SECONDS: integer(1, 86_400, 1800),

  SECURITY_LOG_DAYS: integer(30, 3650, 400),
} as const satisfies Record<string, z.ZodMiniType>

export type Settings = { [Name in keyof typeof settings]: z.infer<(typeof settings)[Name]> }
export type LimitName = Extract<keyof Settings, `LIMIT_${string}`>

/** Secrets, and what would lead to them: never shown, and each can come from a file, such as SECRET_FILE. */
export const isSecret = (name: string): boolean =>
  /SECRET|_KEY$|_TOKEN$|_SID$|_LOGIN_ID$|^DATABASE_(REPLICA_)?URL$|^MAIL$|^PROVIDER_HEADERS$/.test(name)
