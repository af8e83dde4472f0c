/** A problem that the operator can mend: one sentence is enough. Anything else is a bug and shows its stack. */
export class OperatorError extends Error {}

type SystemError = Error & { code: string; path?: string; detail?: string }

export const READ_ONLY =
  'This database can only be read. DATABASE_URL should name the one that can be written to, not a copy of it.'

/** What the system says in codes, said in words. */
const sentences: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: () => 'Another program is using this port. Stop it, or choose another one with PORT.',
  EADDRNOTAVAIL: () => 'This machine does not have the address in HOST.',
  ECONNREFUSED: noAnswer,
  ETIMEDOUT: noAnswer,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ENOTFOUND: () => 'The address in DATABASE_URL or HOST does not exist.',
  EAI_AGAIN: () => 'The address in DATABASE_URL or HOST could not be looked up.',
  '28P01': () => 'The database refuses the name or the password in DATABASE_URL.',
  '28000': () =>
    'The database does not let this connection in. It may want TLS: add ?sslmode=verify-full to DATABASE_URL.',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: unknownCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownCertificate,
  UNABLE_TO_GET_ISSUER_CERT: unknownCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownCertificate,
  CERT_HAS_EXPIRED: () => 'The certificate of the database has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: () =>
    'The certificate of the database was made for another host than DATABASE_URL names.',
  '3D000': () => 'The database that DATABASE_URL names does not exist.',
  '57P03': () => 'The database is starting or stopping. Try again in a moment.',
  '53300': () =>
    'The database has no connection left. Choose a smaller DATABASE_POOL, or let the database have more (max_connections).',
  '53100': noRoom,
  'ErrnoError 51': noRoom, // the embedded database's own word for ENOSPC
  '25006': () => READ_ONLY,
  '42501': ({ message }) =>
    `The database does not let the role in DATABASE_URL do this: ${message}. Name the role that made Foyer's tables, or GRANT this one the right.`,
  '2BP01': ({ detail = '' }) =>
    `Nothing was removed: what is not Foyer's hangs on its tables. Remove that first: ${detail.replaceAll('\n', '; ')}.`,
  ENOSPC: () => 'There is no room left on this disk.',
  ENOENT: ({ path }) => `There is no ${path}.`,
  ENOTDIR: ({ path }) => `${path} is not a folder.`,
  EEXIST: ({ path }) => `${path} is not a folder.`,
  EISDIR: ({ path }) => `${path ?? 'This'} is a folder, not a file.`,
  EACCES: ({ path }) => `${path} may not be used by this program.`,
  EROFS: ({ path }) => `${path} cannot be written to.`,
  Z_DATA_ERROR: () => 'This file is not a backup of Foyer, or it is damaged. Nothing was restored.',
  Z_BUF_ERROR: () => 'This backup is cut short. Nothing of it was restored: use a whole copy of it.',
}

/** What the driver says without a code. */
const uncoded = new Map([
  ['Connection terminated due to connection timeout', noAnswer],
  ['timeout exceeded when trying to connect', noAnswer],
  ['Query read timeout', tooSlow],
  ['The server does not support SSL connections', noTls],
])

function noAnswer() {
  return 'The database does not answer at the address in DATABASE_URL.'
}

function noRoom() {
  return 'There is no room left where the database keeps its files.'
}

function tooSlow() {
  return 'The database took too long. A backup, or something else that is slow, may hold its tables: try again later.'
}

function noWay() {
  return 'There is no way from this machine to the address in DATABASE_URL.'
}

function noTls() {
  return 'The database speaks no TLS. Set that up there, or take sslmode out of DATABASE_URL.'
}

function unknownCertificate() {
  return 'Nobody vouches for the certificate of the database. Name who does in DATABASE_URL: &sslrootcert=FILE'
}

/** The sentence for a problem that can be mended; nothing for a bug. */
export function explainError(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message
  const { code, name, errno, message } = Object(error)
  if (typeof code === 'string') return sentences[code]?.(error as SystemError)
  return sentences[`${name} ${errno}`]?.(error as SystemError) ?? uncoded.get(message)?.()
}
