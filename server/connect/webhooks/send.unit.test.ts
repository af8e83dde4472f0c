import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { MAX_ANSWER_BYTES, sendRequest } from './send.ts'

/** A receiver that answers with raw bytes, however wrong they are. */
const receivers: { close: () => void }[] = []
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.close()
})

async function receiver(answer: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    let request = ''
    socket.on('data', (data) => {
      const isFirst = !request
      request += data
      requests[requests.length - (isFirst ? 0 : 1)] = request
      if (isFirst) answer(socket, request)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  receivers.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/in?a=1`, requests }
}

/** Only where no answer will come: a busy machine may need longer for one. */
const SHORT_DEADLINE = 400
const send = (url: string, deadlineMs = 60_000) =>
  sendRequest({
    url,
    headers: { 'webhook-id': 'x' },
    body: '{"a":"ü"}',
    reach: { loopback: true },
    deadlineMs,
  })

it('28.1 a delivery is a POST with its headers and its text', async () => {
  const { url, requests } = await receiver((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  expect(await send(url)).toMatchObject({ status: 204, answer: '' })
  const [request = ''] = requests
  expect(request).toMatch(/^POST \/in\?a=1 HTTP\/1.1\r\n/)
  expect(request).toContain(`host: ${new URL(url).host}\r\n`)
  expect(request).toContain('webhook-id: x\r\n')
  expect(request).toContain('content-type: application/json\r\n')
  expect(request).toMatch(/\r\n\r\n\{"a":"ü"\}$/)
})

it('28.4 a redirect isn’t followed', async () => {
  const { url, requests } = await receiver((socket) =>
    socket.end('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  )
  expect(await send(url)).toMatchObject({ status: 302 })
  expect(requests.length).toBe(1)
})

const noAnswer = { answer: expect.stringContaining('No complete response') }

const forever = (socket: Socket, text: string) => {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text)), 5)
}

it.each<[string, (socket: Socket) => void, object]>([
  ['nothing', () => undefined, noAnswer],
  ['a closed connection', (socket) => socket.end(), { answer: expect.stringContaining('No response') }],
  ['a reset', (socket) => socket.resetAndDestroy(), { answer: expect.stringContaining('No response') }],
  ['no HTTP', (socket) => socket.end('hello\r\n\r\n'), { answer: expect.stringContaining('No response') }],
  [
    '101',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { status: 101 },
  ],
  ['101 without an upgrade', (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'), {}],
  ['100 again and again', (socket) => forever(socket, 'HTTP/1.1 100 Continue\r\n\r\n'), noAnswer],
  ['103 and no more', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), noAnswer],
  ['headers one byte at a time', (socket) => forever(socket, 'H'), {}],
  [
    'endless headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      forever(socket, `x: ${'y'.repeat(4000)}\r\n`)
    },
    {},
  ],
])('28.4 %s never hangs a slot and is no success', async (_name, answer, expected) => {
  const { url } = await receiver(answer)
  const result = await send(url, expected === noAnswer || !Object.keys(expected).length ? SHORT_DEADLINE : undefined)
  expect(result).toMatchObject(expected)
  expect(result.status ?? 0).not.toBe(200)
})

it('28.4 of a long answer one kilobyte is kept, and an endless one is cut off', async () => {
  const { url } = await receiver((socket) => {
    socket.write('HTTP/1.1 500 Oops\r\n\r\n')
    forever(socket, 'ü\0'.repeat(3000))
  })
  const { status, answer } = await send(url)
  expect(status).toBe(500)
  expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(answer).toMatch(/^(ü )+/)
  const broken = await receiver((socket) =>
    socket.end(Buffer.concat([Buffer.from('HTTP/1.1 500 Oops\r\n\r\n'), Buffer.alloc(5000, 0xff)])),
  )
  expect(Buffer.byteLength((await send(broken.url)).answer)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
})

it('28.4 a body that trickles in doesn’t delay the answer for long, and its status counts', async () => {
  const { url } = await receiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    forever(socket, 'x')
  })
  const deadlineMs = 3_600_000 // no test lasts as long
  expect((await sendRequest({ url, headers: {}, body: '{}', reach: { loopback: true }, deadlineMs })).status).toBe(200)
})
