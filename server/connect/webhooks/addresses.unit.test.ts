import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  ForbiddenAddress,
  isPublicAddress,
  mayReach,
  parseEndpointUrl,
  resolveEndpoint,
  sharingLookups,
} from './addresses.ts'
import { sendRequest } from './send.ts'

const nowhere = { loopback: false }
const here = { loopback: true }

/** Ways to write an address that isn't on the public internet. */
const forbidden = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://017700000001/',
  'https://0177.0.0.01/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127.0.0.1./',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://foyer.localhost/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.7/',
  'https://172.16.3.4/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://198.18.0.1/',
  'https://192.0.2.7/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:7f00:1::]/',
  'https://[2001:db8::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://database/',
  'https://vault.internal/',
  'https://printer.local/',
]

it.each(forbidden)('28.2 %s is refused when it’s entered', (url) => {
  expect(() => parseEndpointUrl(url, nowhere)).toThrow(ForbiddenAddress)
})

it.each(forbidden)('28.2 %s is refused when it’s sent to, whatever was saved', async (url) => {
  const answer = await sendRequest({ url, headers: {}, body: '{}', reach: nowhere })
  expect(answer.status).toBe(undefined)
  expect(answer.answer).toContain('isn’t on the public internet')
})

const literals = forbidden
  .map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''))
  .filter((host) => /^[\d.]+$|:/.test(host))

it.each(literals)(
  '28.2 the address %s is refused when a name leads to it, and when we are connected to it',
  async (address) => {
    const url = new URL('https://receiver.example/')
    await expect(resolveEndpoint(url, nowhere, async () => [address])).rejects.toThrow(ForbiddenAddress)
    await expect(resolveEndpoint(url, nowhere, async () => ['93.184.216.34', address])).rejects.toThrow(
      ForbiddenAddress,
    )
    expect(mayReach(address, nowhere)).toBe(false)
  },
)

it('28.2 a zone, a name or nothing isn’t a public address', () => {
  for (const text of ['fe80::1%eth0', '2606:4700::1111%1', 'example.com', '', 'x'])
    expect(isPublicAddress(text)).toBe(false)
})

it.each([
  'https://example.com/webhooks?key=1',
  'https://example.com:8443/',
  'https://93.184.216.34/',
  'https://[2606:4700:4700::1111]/',
  'https://hooks.co.uk./in',
])('28.2 %s is allowed', (url) => {
  expect(parseEndpointUrl(url, nowhere).protocol).toBe('https:')
})

it.each([
  ['http://example.com/', 'https://'],
  ['ftp://example.com/', 'https://'],
  ['https://user:pass@example.com/', 'name and password'],
  ['https://example.com/#part', '#'],
  ['example.com', 'such as'],
  ['', 'such as'],
  [`https://example.com/${'x'.repeat(600)}`, 'such as'],
  [`https://example.com/${'ü'.repeat(200)}`, 'such as'], // six times as long in the address that would be saved
])('28.2 %s is refused with a reason', (url, reason) => {
  expect(() => parseEndpointUrl(url, nowhere)).toThrow(reason)
})

it('28.3 outside production, http on this machine can be allowed, and nothing else', () => {
  expect(parseEndpointUrl('http://127.0.0.1:9000/in', here).port).toBe('9000')
  expect(parseEndpointUrl('http://[::1]:9000/in', here).port).toBe('9000')
  for (const url of ['http://10.0.0.1/', 'https://10.0.0.1/', 'http://example.com/', 'http://localhost/'])
    expect(() => parseEndpointUrl(url, here), url).toThrow(ForbiddenAddress)
})

let connections = 0
let received = ''
const inside = createServer((socket) => {
  connections++
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    received += data.toString('latin1')
    socket.destroy()
  })
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done))
  port = (inside.address() as AddressInfo).port
})
beforeEach(() => {
  connections = 0
  received = ''
})
afterAll(() => inside.close())

it('28.2 a name that leads elsewhere between check and connection is looked up once, and we connect to what was checked', async () => {
  let lookups = 0
  const resolve = async () => (lookups++ ? ['10.0.0.1'] : ['127.0.0.1']) // as if the first were a public one
  const send = () =>
    sendRequest({ url: `https://changing.example:${port}/`, headers: {}, body: '{}', reach: here, resolve })
  expect((await send()).answer).toContain('No response') // it doesn't speak TLS
  expect([lookups, connections]).toEqual([1, 1])
  expect(received).toContain('changing.example') // the name that its certificate must have
  expect((await send()).answer).toContain('isn’t on the public internet')
  expect([lookups, connections]).toEqual([2, 1])
})

it('28.1 a name is looked up once for all who ask at the same time, so a slow name server occupies one thread', async () => {
  const asked: string[] = []
  const answers: ((addresses: string[] | Error) => void)[] = []
  const resolve = sharingLookups((host) => {
    asked.push(host)
    return new Promise((done, fail) => {
      answers.push((answer) => (answer instanceof Error ? fail(answer) : done(answer)))
    })
  })
  const slow = [resolve('slow.example'), resolve('slow.example'), resolve('slow.example')]
  const other = resolve('other.example')
  expect(asked).toEqual(['slow.example', 'other.example'])
  answers[1]?.(['93.184.216.35'])
  expect(await other).toEqual(['93.184.216.35'])
  answers[0]?.(new Error('timeout'))
  expect(await Promise.allSettled(slow)).toMatchObject(Array(3).fill({ status: 'rejected' }))
  const again = resolve('slow.example') // and not the answer from before
  answers[2]?.(['93.184.216.34'])
  expect(await again).toEqual(['93.184.216.34'])
})

it('28.2 the connection itself is checked: an address that slipped through gets nothing', async () => {
  let isChecked = false
  const reach = {
    /** Allowed while the address is checked, and no longer once connected. */
    get loopback() {
      return !isChecked
    },
  }
  const resolve = async () => {
    queueMicrotask(() =>
      queueMicrotask(() =>
        setImmediate(() => {
          isChecked = true
        }),
      ),
    )
    return ['127.0.0.1']
  }
  const answer = await sendRequest({ url: `https://slipped.example:${port}/`, headers: {}, body: '{}', reach, resolve })
  expect(answer).toMatchObject({ answer: 'The connection led to an address that isn’t on the public internet.' })
  expect(received).toBe('')
})
