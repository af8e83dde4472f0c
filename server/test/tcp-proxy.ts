import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../scripts/port.mjs'

/** Stands before a database and passes everything on, until it's told to lose connections or answers. */
export async function startProxy(target: string) {
  const to = new URL(target)
  const port = await freePort()
  const sockets = new Set<Socket>()
  let frozen = false
  let messages = 0
  let losesAnswerTo: string | undefined
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const join = (client: Socket) => {
    const server = connect(Number(to.port), to.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of [client, server]) other.destroy()
      })
      if (frozen) socket.pause()
    }
    client.on('data', (chunk: Buffer) => {
      messages++
      server.write(chunk)
      if (losesAnswerTo === undefined || !chunk.includes(losesAnswerTo)) return
      losesAnswerTo = undefined
      server.removeListener('data', answer)
      server.once('data', () => client.destroy())
    })
    const answer = (chunk: Buffer) => void client.write(chunk)
    server.on('data', answer)
  }
  const open = async (): Promise<Server> => {
    const server = createServer(join).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let listener: Server | undefined = await open()
  const refuse = async () => {
    const closed = listener && once(listener, 'close')
    listener?.close()
    listener = undefined
    cut()
    await closed
  }
  return {
    host: `127.0.0.1:${port}`, // as several are written in one URL
    url: Object.assign(new URL(target), { port }).href,
    /** Resets every connection. New ones are welcome. */
    cut,
    /** Refuses new connections too, until it's opened again. */
    refuse,
    reopen: async () => {
      listener ??= await open()
    },
    /** Connects, but says nothing, like a stopped process. */
    freeze: () => {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    /** Passes on the next message with this text, and loses the connection instead of the answer. */
    loseAnswerTo: (text: string) => {
      losesAnswerTo = text
    },
    /** How often the client has sent something. */
    messages: () => messages,
    close: refuse,
  }
}
