import { verifiesDatabase } from './database-url.ts'
import { needsTls } from './encryption.ts'
import { isLoopback } from './rules.ts'
import { DEVELOPMENT_SECRET, isStrongSecret } from './secret.ts'
import { type Env, isSet } from './secret-files.ts'
import type { Settings } from './settings.ts'

/** What production lacks, or must not have. */
export function unsafeProduction(values: Partial<Settings>, embedded: string[], env: Env): string[] {
  const { ALLOW_EMBEDDED = embedded, PUBLIC_URL, OFFICE_URL, MAIL, PHONE, PAYMENT } = values
  const problems = [...weakSecret(env.SECRET?.trim())]
  if (!isSet(env, 'PUBLIC_URL')) problems.push('PUBLIC_URL is required in production: the address that visitors type')
  if (PUBLIC_URL?.startsWith('http:') && !isLoopback(PUBLIC_URL))
    problems.push('PUBLIC_URL must start with https:// in production: cards and passwords are sent there')
  if (OFFICE_URL?.startsWith('http:') && !PUBLIC_URL?.startsWith('http:'))
    problems.push('OFFICE_URL must start with https:// in production: links to it carry a sign-in token')
  if (MAIL && MAIL !== 'outbox' && !isSet(env, 'MAIL_FROM'))
    problems.push('MAIL_FROM is required with a real MAIL: the address that emails come from and replies go to')
  for (const part of embedded.filter((part) => !ALLOW_EMBEDDED.includes(part)))
    problems.push(`ALLOW_EMBEDDED does not list ${part}: in production every embedded part must be allowed by name`)
  if (PHONE === 'sandbox' && PAYMENT && PAYMENT !== 'sandbox' && mayRequireCode(values))
    problems.push(
      'PHONE=sandbox sends no codes, and payments may require one: set PHONE=twilio, or both BREAKER_DECLINES=off and PHONE_VERIFICATION=off',
    )
  if (values.UNSAFE_DEVELOPMENT_ON_NETWORK)
    problems.push('UNSAFE_DEVELOPMENT_ON_NETWORK is for development: remove it in production')
  if (values.WEBHOOKS_TO_LOOPBACK)
    problems.push(
      'WEBHOOKS_TO_LOOPBACK is for development: remove it in production, where webhooks need https addresses',
    )
  return [...problems, ...unencryptedDatabase(values)]
}

function weakSecret(secret: string | undefined): string[] {
  if (!secret)
    return [
      'SECRET is required in production: 32 random bytes, the same for every process. `npm run secret` prints them',
    ]
  if (secret === DEVELOPMENT_SECRET) return ['SECRET must not be the public development secret']
  return isStrongSecret(secret)
    ? []
    : [
        'SECRET must be 32 random bytes in base64 or hex, as `npm run secret` prints them. If the database has keys under ' +
          'a weaker one, set that one as SECRET_PREVIOUS beside the new SECRET',
      ]
}

/** Either always, or while too many cards are declined. */
const mayRequireCode = ({ PHONE_VERIFICATION, BREAKER_DECLINES }: Partial<Settings>) =>
  PHONE_VERIFICATION || Number.isFinite(BREAKER_DECLINES?.failures)

/** A mail server is asked for TLS when an email is sent, see server/gateways/mail/smtp.ts. */
function unencryptedDatabase({ ALLOW_UNENCRYPTED = ['database'], ...values }: Partial<Settings>): string[] {
  const isUnsafe = (DATABASE_URL: string | undefined) =>
    DATABASE_URL && needsTls('database', { DATABASE_URL, ALLOW_UNENCRYPTED }) && !verifiesDatabase(DATABASE_URL)
  return (['DATABASE_URL', 'DATABASE_REPLICA_URL'] as const)
    .filter((name) => isUnsafe(values[name]))
    .map(
      (name) =>
        `${name} must contain sslmode=verify-full, because the database is on another machine. ` +
        'On a network of your own, ALLOW_UNENCRYPTED=database allows it without TLS',
    )
}
