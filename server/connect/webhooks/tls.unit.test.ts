import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { selfSigned } from '#server/test/certificate.ts'
import { sendRequest } from './send.ts'

/**
 * Receivers that speak TLS. They are on this machine, and we trust their certificates like those of an operator's own
 * authority (NODE_EXTRA_CA_CERTS).
 */

const named = selfSigned('DNS:receiver.example')
const numbered = selfSigned('IP:127.0.0.1')
const untrusted = selfSigned('DNS:receiver.example', 'IP:127.0.0.1')

const usual = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...usual, named.cert, numbered.cert]))
afterAll(() => setDefaultCACertificates(usual))

let server: Server
let seen: { servername: string | false | undefined; host: string | undefined; body: string }[]
beforeEach(() => {
  seen = []
})
afterEach(() => void server.close())

/** Returns its port. */
async function receiver(certificate: { key: string; cert: string }): Promise<number> {
  server = createServer(certificate, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { servername } = request.socket as TLSSocket & { servername?: string | false }
    seen.push({ servername, host: request.headers.host, body })
    response.end('welcome')
  })
  server.on('tlsClientError', () => undefined) // we hang up on a certificate that we don't trust
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** As if the name led to a public address: the connection goes to this machine. */
const send = (url: string) =>
  sendRequest({ url, headers: {}, body: '{"a":1}', reach: { loopback: true }, resolve: async () => ['127.0.0.1'] })

it.each(['receiver.example', 'RECEIVER.example', 'receiver.example.'])(
  '28.2 a delivery to https://%s goes to the address that was checked, if the certificate has the name',
  async (host) => {
    const port = await receiver(named)
    expect(await send(`https://${host}:${port}/in`)).toMatchObject({ status: 200, answer: 'welcome' })
    expect(seen).toEqual([{ servername: 'receiver.example', host: `${host.toLowerCase()}:${port}`, body: '{"a":1}' }])
  },
)

it('28.2 a delivery to an address goes there, if the certificate has the address', async () => {
  const port = await receiver(numbered)
  expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200, answer: 'welcome' })
  expect(seen).toMatchObject([{ servername: false }])
})

it.each([
  ['of another name', named, 'other.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of a name below it', named, 'in.receiver.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of the address that the name leads to', numbered, 'receiver.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of a name, where an address is expected', named, '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that isn’t trusted', untrusted, 'receiver.example', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['that isn’t trusted, at an address', untrusted, '127.0.0.1', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])('28.2 a receiver with a certificate %s gets nothing', async (_what, certificate, host, code) => {
  const port = await receiver(certificate)
  const answer = await send(`https://${host}:${port}/`)
  expect(answer).toEqual({ answer: `No response: ${code}.`, took_ms: expect.any(Number) })
  expect(seen).toEqual([])
})
