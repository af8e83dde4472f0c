import { createServer, type RequestListener, type Server } from 'node:http'
import { freePort } from '../../scripts/port.mjs'
import type { Drill } from '../drill.ts'
import { createHttpClient } from '../visitor/http-client.ts'
import { startHaproxy } from './haproxy.ts'

const REQUESTS = 300

/** Fake processes behind the proxy. */
const behaviors = ['hangs up', 'is down', 'answers', 'answers'] as const

/** The proxy must not resend a POST that a process may have acted on. It resends GETs and what no process received. */
export const proxyRetries: Drill = async (_run, backend) => {
  const workspace = await backend.createWorkspace()
  const received: { by: (typeof behaviors)[number]; request: string }[] = []
  const ports = await Promise.all(behaviors.map(freePort))
  const servers: Server[] = []
  for (const [index, by] of behaviors.entries()) {
    if (by === 'is down') continue
    const listen: RequestListener = (request, response) => {
      if (request.url === '/readyz' || request.url === '/livez') return response.end()
      received.push({ by, request: `${request.method} ${request.url}` })
      request.resume().on('end', () => (by === 'answers' ? response.end() : request.socket.destroy()))
    }
    servers.push(createServer(listen).listen(ports[index], '127.0.0.1'))
  }
  const port = await freePort()
  const proxy = await startHaproxy({ folder: workspace.folder, port, processes: ports, guarded: true })
  const client = createHttpClient(`http://127.0.0.1:${port}`)
  const failures: string[] = []
  for (let n = 0; n < REQUESTS; n++) {
    const method = Math.random() < 0.5 ? 'POST' : 'GET'
    const isAnswered = await client.send(method, `/${n}`, method === 'POST' ? { body: { n } } : {}).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (!isAnswered) failures.push(`${method} /${n}`)
  }
  client.close()
  await proxy.stop()
  for (const server of servers) server.close()
  await workspace.remove()

  const posts = received.map(({ request }) => request).filter(isPost)
  const resent = posts.length - new Set(posts).size
  const cutOff = received.filter(({ by }) => by === 'hangs up').map(({ request }) => request)
  const lostPosts = new Set(cutOff.filter(isPost))
  const otherFailures = failures.filter((request) => !lostPosts.has(request)).length
  return [
    {
      action: `${REQUESTS} POSTs and GETs through the proxy to four processes, of which one is down and one hung up on ${cutOff.length} requests`,
      expected: 'no POST is resent after a process may have acted on it; all other requests are answered',
      result: `${resent} POSTs sent twice, ${failures.length} requests failed, ${otherFailures} of them without reason`,
      passed: !resent && !otherFailures && lostPosts.size > 0 && cutOff.length > lostPosts.size,
    },
  ]
}

const isPost = (request: string) => request.startsWith('POST')
