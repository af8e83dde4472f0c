import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { freePort } from '../../scripts/port.mjs'

/** Passes everything on to a site, but holds its scripts back until `release` is called. */
export async function startHoldingProxy(site: string) {
  const held = Promise.withResolvers<void>()
  const server = createServer(async (incoming, reply) => {
    if (incoming.url?.startsWith('/assets/')) await held.promise
    const { method, headers, url } = incoming
    const outgoing = request(new URL(url ?? '', site), { method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    outgoing.on('error', () => reply.destroy())
    incoming.pipe(outgoing)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    release: held.resolve,
    async close() {
      held.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
