import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { id: string; headers: IncomingHttpHeaders; body: string; event: ReceivedEvent }
type ReceivedEvent = { type: string; data: { id: string; member_id: string | null; payload: Record<string, unknown> } }

/** Another company's system that gets our webhooks. It answers 200, or what `answer` decides. */
export async function startReceiver() {
  const received: Received[] = []
  const receiver = {
    url: '',
    received,
    /** The ids of events, in the order in which they arrived. */
    ids: () => received.map(({ id }) => id),
    answer: undefined as ((request: Received, response: ServerResponse) => void) | undefined,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      const one = { id, headers: request.headers, body, event: JSON.parse(body) }
      received.push(one)
      if (receiver.answer) receiver.answer(one, response)
      else response.end('ok')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  return receiver
}
