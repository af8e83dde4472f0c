import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long running requests may take once the server closes. */
const CLOSE_TIMEOUT_MS = 5_000

const draining = new WeakSet<FastifyInstance>()

/** Whether a load balancer should stop sending requests. */
export const isDraining = (app: FastifyInstance): boolean => draining.has(app)

/** Reports "not ready" and keeps serving, until every proxy has noticed and sends no more requests. */
export async function drain(app: FastifyInstance, seconds: number): Promise<void> {
  draining.add(app)
  await sleep(seconds * 1000)
}

/** Finishes running requests, but does not wait for idle connections or for clients that never finish sending. */
export function closeGracefully(app: FastifyInstance) {
  const requestCounts = new Map<Socket, number>()
  const received = new WeakSet<FastifyRequest>()
  let isClosing = false

  const count = (socket: Socket, change: number) => {
    const previous = requestCounts.get(socket)
    if (previous === undefined) return // already disconnected
    const running = previous + change
    requestCounts.set(socket, running)
    if (isClosing && running <= 0) socket.end()
  }
  app.server.on('connection', (socket: Socket) => {
    requestCounts.set(socket, 0)
    socket.once('close', () => requestCounts.delete(socket))
  })
  // By now the whole body has arrived. Earlier than that, a client could keep the server open by never finishing.
  app.addHook('preValidation', (request, _reply, done) => {
    received.add(request)
    count(request.socket, 1)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (received.delete(request)) count(request.socket, -1)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining(app)) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    isClosing = true
    draining.add(app)
    for (const [socket, requests] of requestCounts) if (requests <= 0) socket.destroy()
    setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref()
  })
}
