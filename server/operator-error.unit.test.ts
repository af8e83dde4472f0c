import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { explainError } from './operator-error.ts'

test.each([
  ['ECONNREFUSED', 'The database in DATABASE_URL does not answer.'],
  ['ECONNRESET', 'The database in DATABASE_URL does not answer.'],
  ['ETIMEDOUT', 'The database in DATABASE_URL does not answer.'],
  ['EHOSTUNREACH', 'The host in DATABASE_URL cannot be reached from this machine.'],
  ['ENETUNREACH', 'The host in DATABASE_URL cannot be reached from this machine.'],
  ['CERT_HAS_EXPIRED', 'The TLS certificate of the database has expired.'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'The TLS certificate of the database is not trusted.'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'The TLS certificate of the database is not trusted.'],
  ['57P03', 'The database is starting or stopping.'],
  ['53300', 'The database has no free connections.'],
  ['53100', 'The disk of the database is full.'],
  ['25006', 'This database is read-only.'],
  ['42501', 'The role in DATABASE_URL lacks a permission: 42501.'],
  ['ENOSPC', 'This disk is full.'],
])('8.1 %s is explained in one sentence', (code, sentence) =>
  expect(explainError(Object.assign(new Error(code), { code }))).toContain(sentence),
)

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
})

/** The error that the driver throws if the database sends this reply, or none. */
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

test('8.1 a database that takes too long is explained in one sentence', () =>
  expect(explainError(new Error('Query read timeout'))).toMatch(/^The database took too long\./))

test('8.1 a database that never answers is explained in one sentence', async () =>
  expect(explainError(await thrownBy(''))).toBe('The database in DATABASE_URL does not answer.'))

test('8.1 a database without TLS is explained in one sentence', async () =>
  expect(explainError(await thrownBy('N', '?sslmode=verify-full'))).toMatch(/^The database does not support TLS\./))

test('8.1 a full disk of the embedded database is explained in one sentence', () =>
  expect(explainError({ name: 'ErrnoError', errno: 51 })).toBe('The disk of the database is full.'))

test('a bug is not explained', () => {
  expect(explainError(new TypeError('x is not a function'))).toBeUndefined()
  expect(explainError(Object.assign(new Error('x'), { code: 'ERR_ASSERTION' }))).toBeUndefined()
  expect(explainError(new Error('constructor'))).toBeUndefined()
  expect(explainError(undefined)).toBeUndefined()
})
