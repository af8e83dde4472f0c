import { isLoopback, isLoopbackHost, type UNENCRYPTED_PARTS } from './rules.ts'
import type { Settings } from './settings.ts'

type Values = Pick<Partial<Settings>, 'DATABASE_URL' | 'MAIL' | 'ALLOW_UNENCRYPTED'>

/** Whether a part is on another machine, and the operator has not allowed to reach it without TLS. */
export const needsTls = (part: (typeof UNENCRYPTED_PARTS)[number], values: Values): boolean =>
  isElsewhere[part](values) && !values.ALLOW_UNENCRYPTED?.includes(part)

const isElsewhere: Record<(typeof UNENCRYPTED_PARTS)[number], (values: Values) => boolean> = {
  database: ({ DATABASE_URL }) => DATABASE_URL !== undefined && !isOnThisMachine(DATABASE_URL),
  mail: ({ MAIL }) => MAIL !== undefined && MAIL !== 'outbox' && !isLoopback(MAIL),
}

/** As the driver reads it: `?host=` overrides the host, the last of several counts, and a path is a Unix socket. */
function isOnThisMachine(databaseUrl: string): boolean {
  const { hostname, searchParams } = new URL(databaseUrl)
  const host = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname)
  return host.startsWith('/') || isLoopbackHost(host)
}

/**
 * Only verify-full is accepted. Without sslmode the driver uses no TLS. It takes require and verify-ca for verify-full, and
 * has announced to weaken both; no-verify encrypts, but to anyone who answers.
 */
export const verifiesDatabase = (databaseUrl: string): boolean =>
  new URL(databaseUrl).searchParams.getAll('sslmode').at(-1) === 'verify-full'
