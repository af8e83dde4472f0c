import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { explainError } from './operator-error.ts'

test.each([
  ['ECONNREFUSED', 'The database does not answer at the address in DATABASE_URL.'],
  ['ETIMEDOUT', 'The database does not answer at the address in DATABASE_URL.'],
  ['EHOSTUNREACH', 'There is no way from this machine to the address in DATABASE_URL.'],
  ['ENETUNREACH', 'There is no way from this machine to the address in DATABASE_URL.'],
  ['CERT_HAS_EXPIRED', 'The certificate of the database has expired.'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'Nobody vouches for the certificate of the database.'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'Nobody vouches for the certificate of the database.'],
  ['57P03', 'The database is starting or stopping.'],
  ['53300', 'The database has no connection left.'],
  ['53100', 'There is no room left where the database keeps its files.'],
  ['25006', 'This database can only be read.'],
  ['42501', 'The database does not let the role in DATABASE_URL do this: 42501.'],
  ['ENOSPC', 'There is no room left on this disk.'],
])('8.1 %s is a sentence', (code, sentence) =>
  expect(explainError(Object.assign(new Error(code), { code }))).toContain(sentence),
)

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
})

/** What the driver throws at a database that says this, or nothing at all. */
async function thrownBy(answer: string, query = ''): Promise<unknown> {
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => socket.write(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = new pg.Pool({
    connectionString: `postgres://foyer@127.0.0.1:${port}/foyer${query}`,
    connectionTimeoutMillis: 200,
  })
  return pool.connect().catch((error: unknown) => error)
}

test('8.1 a database that takes too long is a sentence', () =>
  expect(explainError(new Error('Query read timeout'))).toMatch(/^The database took too long\./))

test('8.1 a database that never answers is a sentence', async () =>
  expect(explainError(await thrownBy(''))).toBe('The database does not answer at the address in DATABASE_URL.'))

test('8.1 a database without TLS is a sentence', async () =>
  expect(explainError(await thrownBy('N', '?sslmode=verify-full'))).toMatch(/^The database speaks no TLS\./))

test('8.1 a full disk under the embedded database is a sentence', () =>
  expect(explainError({ name: 'ErrnoError', errno: 51 })).toBe(
    'There is no room left where the database keeps its files.',
  ))

test('a bug stays a bug', () => {
  expect(explainError(new TypeError('x is not a function'))).toBeUndefined()
  expect(explainError(Object.assign(new Error('x'), { code: 'ERR_ASSERTION' }))).toBeUndefined()
  expect(explainError(new Error('constructor'))).toBeUndefined()
  expect(explainError(undefined)).toBeUndefined()
})
