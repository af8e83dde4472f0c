import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { type NoReply, openHost } from './host.ts'
import { officeUrlIn } from './office.ts'
import { addressOf } from './pictures.ts'
import { centsIn } from './reading.ts'

const settings = { PROVIDER_ENCODING: 'json', PROVIDER_DEADLINE: 2, PROVIDER_HEADERS: { 'x-api-key': 'k1' } } as const

async function listener(answer: (request: IncomingMessage) => number) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(answer(request), { location: '/elsewhere' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { url, requests, close: () => server.closeAllConnections() ?? server.close() }
}

it('26.9 the operator’s headers go to the host only, and a redirect is never followed', async () => {
  const [ours, other] = [await listener(() => 302), await listener(() => 200)]
  const host = openHost({ ...settings, PROVIDER_API_URL: `${ours.url}/v1` })
  const reply = await host.send({ method: 'POST', url: host.urlOf('/orders'), fields: { cc_number: '4242' } })
  await host.send({ method: 'GET', url: new URL(`${other.url}/34.png`), fields: {}, isRepeatable: true })
  expect([reply.status, ours.requests.map(({ url, headers }) => [url, headers['x-api-key']])]).toEqual([
    302,
    [['/v1/orders', 'k1']],
  ])
  expect(other.requests.map(({ headers }) => headers['x-api-key'])).toEqual([undefined])
  for (const each of [ours, other, host]) each.close()
})

it('26.13 only a request that no connection was made for is known not to be sent', async () => {
  const isSent = (url: string) => {
    const host = openHost({ ...settings, PROVIDER_API_URL: url })
    return host.send({ method: 'POST', url: host.urlOf('/'), fields: {} }).catch((error: NoReply) => error.isSent)
  }
  expect(await isSent('http://127.0.0.1:1')).toBe(false)
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  expect(await isSent(`http://127.0.0.1:${Object(silent.address()).port}`)).toBe(true)
  silent.closeAllConnections()
  silent.close()
})

it.each([
  ['/images/34.svg', 'http://127.0.0.1:4/images/34.svg'],
  ['https://cdn.example/34.png', 'https://cdn.example/34.png'],
  ['http://cdn.example/34.png', undefined],
  ['http://127.0.0.1:9/34.png', undefined],
  ['https://127.0.0.1/34.png', undefined],
  ['https://0x7f.1/34.png', undefined],
  ['https://[::1]/34.png', undefined],
  ['https://localhost/34.png', undefined],
  ['https://name:word@cdn.example/34.png', undefined],
  ['file:///etc/passwd', undefined],
  ['', undefined],
])('26.6 a picture at %j is loaded from %j', (image_url, address) => {
  const host = openHost({ ...settings, PROVIDER_API_URL: 'http://127.0.0.1:4/v1' })
  expect(addressOf(host, image_url)?.href).toBe(address)
})

it.each([
  ['https://office.example/zoe', 'https://office.example/zoe'],
  ['https://office.example:8443/', 'https://office.example:8443'],
  ['https://office.example:444/zoe', undefined],
  ['https://office.example.evil.example/zoe', undefined],
  ['https://office.example@evil.example/zoe', undefined],
  ['http://office.example/zoe', undefined],
  ['https://office.example/zoe?next=//evil.example', undefined],
  ['javascript:alert(1)//office.example', undefined],
  ['//office.example/zoe', undefined],
])('26.16 the office %j opens %j', (vo_url, address) => {
  const hosts = ['office.example', 'office.example:8443']
  expect(officeUrlIn({ PROVIDER_OFFICE_HOSTS: hosts, NODE_ENV: 'production' }, vo_url)).toBe(address)
})

const amounts: [unknown, number | undefined][] = [
  ['99.00', 9900],
  [99, 9900],
  ['$1,299.5', 129_950],
  ['USD 24', 2400],
  [99.999, 10_000],
  ['0.00', 0],
  ...['-1.00', '9,9', 'free', '', null, Number.NaN].map((wrong): [unknown, undefined] => [wrong, undefined]),
]
it.each(amounts)('26.3 %j is %j cents', (value, cents) => {
  expect(centsIn(value)).toBe(cents)
})
