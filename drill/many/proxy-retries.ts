import { createServer, type RequestListener, type Server } from 'node:http'
import { freePort } from '../../scripts/port.mjs'
import type { Part } from '../drill.ts'
import { createCaller } from '../visitor/http-client.ts'
import { startProxy } from './haproxy.ts'

const TIMES = 300

/** Processes that are none: the first takes a request and hangs up, the second is not there, the others answer. */
const manners = ['hangs up', 'is not there', 'answers', 'answers'] as const

/** What may have been acted on is never sent a second time; what nobody has heard, and what changes nothing, is. */
export const neverSentTwice: Part = async (_drill, ground) => {
  const place = await ground.fresh()
  const heard: { by: (typeof manners)[number]; what: string }[] = []
  const ports = await Promise.all(manners.map(freePort))
  const servers: Server[] = []
  for (const [index, by] of manners.entries()) {
    if (by === 'is not there') continue
    const listen: RequestListener = (request, response) => {
      if (request.url === '/readyz') return response.end()
      heard.push({ by, what: `${request.method} ${request.url}` })
      request.resume().on('end', () => (by === 'answers' ? response.end() : request.socket.destroy()))
    }
    servers.push(createServer(listen).listen(ports[index], '127.0.0.1'))
  }
  const port = await freePort()
  const proxy = await startProxy({ folder: place.folder, port, processes: ports, guarded: true })
  const caller = createCaller(`http://127.0.0.1:${port}`)
  const failed: string[] = []
  for (let n = 0; n < TIMES; n++) {
    const method = Math.random() < 0.5 ? 'POST' : 'GET'
    const answered = await caller.ask(method, `/${n}`, method === 'POST' ? { body: { n } } : {}).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (!answered) failed.push(`${method} /${n}`)
  }
  caller.close()
  await proxy.stop()
  for (const server of servers) server.close()
  await place.remove()

  const posts = heard.filter(({ what }) => what.startsWith('POST'))
  const twice = posts.length - new Set(posts.map(({ what }) => what)).size
  const cutOff = heard.filter(({ by }) => by === 'hangs up')
  const lost = new Set(cutOff.map(({ what }) => what).filter((what) => what.startsWith('POST')))
  const others = failed.filter((what) => !lost.has(what)).length
  return [
    {
      done: `${TIMES} POSTs and GETs through the proxy, of whose four processes one is not there and one hung up on ${cutOff.length} requests`,
      asked: 'no POST is sent to a second process that the first may have acted on; all else is answered',
      found: `${twice} POSTs sent twice, ${failed.length} hung up on, ${others} others failed`,
      passed: !twice && !others && lost.size > 0 && cutOff.length > lost.size,
    },
  ]
}
