/** A problem that the operator can fix: it is shown as one sentence. Any other error is a bug and shows its stack. */
export class OperatorError extends Error {}

type SystemError = Error & { code: string; path?: string; detail?: string }

export const READ_ONLY = 'This database is read-only. Set DATABASE_URL to the primary, not to a replica.'

/** By error code of Node or PostgreSQL. */
const sentences: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: () => 'Another program is using this port. Stop it, or set PORT to another one.',
  EADDRNOTAVAIL: () => 'This machine does not have the address in HOST.',
  ECONNREFUSED: noAnswer,
  ECONNRESET: noAnswer,
  ETIMEDOUT: noAnswer,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENOTFOUND: () => 'The host in DATABASE_URL or HOST does not exist.',
  EAI_AGAIN: () => 'The host in DATABASE_URL or HOST could not be resolved.',
  '28P01': () => 'The database rejected the user name or password in DATABASE_URL.',
  '28000': () => 'The database rejected the connection. It may require TLS: add ?sslmode=verify-full to DATABASE_URL.',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  CERT_HAS_EXPIRED: () => 'The TLS certificate of the database has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: () =>
    'The TLS certificate of the database is for another host than the one in DATABASE_URL.',
  '3D000': () => 'The database in DATABASE_URL does not exist.',
  '57P03': () => 'The database is starting or stopping. Try again in a moment.',
  '53300': () => 'The database has no free connections. Lower DATABASE_POOL, or raise max_connections of the database.',
  '53100': databaseDiskFull,
  'ErrnoError 51': databaseDiskFull, // PGlite's ENOSPC
  '25006': () => READ_ONLY,
  '42501': ({ message }) =>
    `The role in DATABASE_URL lacks a permission: ${message}. Use the role that created Foyer's tables, or GRANT it to this one.`,
  '2BP01': ({ detail = '' }) =>
    `Nothing was removed, because other objects depend on Foyer's tables. Remove them first: ${detail.replaceAll('\n', '; ')}.`,
  ENOSPC: () => 'This disk is full.',
  ENOENT: ({ path }) => `${path} does not exist.`,
  ENOTDIR: ({ path }) => `${path} is not a folder.`,
  EEXIST: ({ path }) => `${path} is not a folder.`,
  EISDIR: ({ path }) => `${path ?? 'This'} is a folder, not a file.`,
  EACCES: ({ path }) => `This program has no permission to use ${path}.`,
  EROFS: ({ path }) => `${path} is read-only.`,
  Z_DATA_ERROR: () => 'This file is not a Foyer backup, or it is damaged. Nothing was restored.',
  Z_BUF_ERROR: () => 'This backup is incomplete. Nothing was restored.',
}

/** By message, for errors of the driver without a code. */
const sentencesByMessage = new Map([
  ['Connection terminated due to connection timeout', noAnswer],
  ['Connection terminated unexpectedly', noAnswer],
  ['timeout expired', noAnswer],
  ['timeout exceeded when trying to connect', noAnswer],
  ['Query read timeout', tooSlow],
  ['The server does not support SSL connections', noTls],
])

function noAnswer() {
  return 'The database in DATABASE_URL does not answer.'
}

function databaseDiskFull() {
  return 'The disk of the database is full.'
}

function tooSlow() {
  return 'The database took too long. A backup or another slow operation may lock its tables. Try again later.'
}

function unreachable() {
  return 'The host in DATABASE_URL cannot be reached from this machine.'
}

function noTls() {
  return 'The database does not support TLS. Set it up there, or remove sslmode from DATABASE_URL.'
}

function untrustedCertificate() {
  return 'The TLS certificate of the database is not trusted. Add the issuer to DATABASE_URL: &sslrootcert=FILE'
}

/** The sentence for a problem that the operator can fix, or undefined for a bug. */
export function explainError(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message
  const { code, name, errno, message } = Object(error)
  if (typeof code === 'string') return sentences[code]?.(error as SystemError)
  return sentences[`${name} ${errno}`]?.(error as SystemError) ?? sentencesByMessage.get(message)?.()
}
