import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { freePort } from '../../scripts/port.mjs'

/** A network between a browser and a site: it can hold replies back, or be cut. The browser still believes that it is online. */
export async function startProxy(site: string) {
  let held: { path: string; until: PromiseWithResolvers<void> } | undefined
  let isCut = false
  const pass = (incoming: IncomingMessage, reply: ServerResponse) => {
    if (isCut) return reply.destroy()
    const { method, headers, url = '' } = incoming
    const outgoing = request(new URL(url, site), { method, headers }, async (response) => {
      if (held && url.startsWith(held.path)) await held.until.promise
      if (isCut) return reply.destroy()
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    outgoing.on('error', () => reply.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer(pass)
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const release = () => {
    held?.until.resolve()
    held = undefined
  }
  return {
    url: `http://127.0.0.1:${port}`,
    /** Replies to requests whose path begins like this wait until `release` is called. The site has done its part. */
    hold(path: string) {
      release()
      held = { path, until: Promise.withResolvers() }
    },
    release,
    cut() {
      isCut = true
      server.closeAllConnections()
    },
    mend() {
      isCut = false
    },
    async close() {
      release()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
