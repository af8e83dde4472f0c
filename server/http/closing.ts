import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What is under way when the server is told to close may take this long. */
const PATIENCE_MS = 5_000

const leaving = new WeakSet<FastifyInstance>()

/** Whether this one still wants to be asked. */
export const isDraining = (app: FastifyInstance): boolean => leaving.has(app)

/** Says "not ready" and goes on answering, until every proxy has seen it and sends nobody any more. */
export async function drain(app: FastifyInstance, seconds: number): Promise<void> {
  leaving.add(app)
  await sleep(seconds * 1000)
}

/**
 * A polite and quick close. Who has asked something is answered and then let go; who is only connected, or sends half a
 * request for ever, does not hold the door.
 */
export function closeGracefully(app: FastifyInstance) {
  const asking = new Map<Socket, number>()
  const heard = new WeakSet<FastifyRequest>()
  let closing = false

  const count = (socket: Socket, change: number) => {
    const before = asking.get(socket)
    if (before === undefined) return // gone already
    const left = before + change
    asking.set(socket, left)
    if (closing && left <= 0) socket.end()
  }
  app.server.on('connection', (socket: Socket) => {
    asking.set(socket, 0)
    socket.once('close', () => asking.delete(socket))
  })
  // From here on it has been heard to its end; before that, nobody knows whether an end will come.
  app.addHook('preValidation', (request, _reply, done) => {
    heard.add(request)
    count(request.socket, 1)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (heard.delete(request)) count(request.socket, -1)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining(app)) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    closing = true
    leaving.add(app)
    for (const [socket, requests] of asking) if (requests <= 0) socket.destroy()
    setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS).unref()
  })
}
