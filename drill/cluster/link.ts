import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Link = Awaited<ReturnType<typeof openLink>>

/** A port that leads to another one, slowly if told to, or not at all. */
export async function openLink(port: number, target: number) {
  const sockets = new Set<Socket>()
  let delayMs = 0
  let held: PromiseWithResolvers<void> | undefined
  let isCut = false

  /** Bytes never overtake earlier ones, also when the delay ends. */
  const pass = (from: Socket, to: Socket) => {
    let earlier = Promise.resolve()
    from.on('data', (bytes) => {
      const due = performance.now() + delayMs / 2
      earlier = earlier.then(async () => {
        const pause = due - performance.now()
        if (pause > 0) await sleep(pause)
        await held?.promise
        if (to.writable) to.write(bytes)
      })
    })
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }
  const server = createServer((incoming) => {
    if (isCut) return void incoming.destroy()
    const outgoing = createConnection({ port: target, host: '127.0.0.1' })
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket.setNoDelay())
      socket.once('close', () => sockets.delete(socket))
    }
    pass(incoming, outgoing)
    pass(outgoing, incoming)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    /** For a request and its answer together. */
    delay: (milliseconds: number) => {
      delayMs = milliseconds
    },
    /** What is sent arrives only after `release`. */
    hold: () => {
      held = Promise.withResolvers()
    },
    release: () => {
      held?.resolve()
      held = undefined
    },
    cut: () => {
      isCut = true
      endAll()
    },
    restore: () => {
      isCut = false
    },
    close: () => {
      server.close()
      endAll()
    },
  }
}
