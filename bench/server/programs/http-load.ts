import { connect, type Socket } from 'node:net'

// A load generator: repeats one HTTP request on keep-alive connections and counts the responses.

export type LoadRequest = { port: number; httpRequest: string; connections: number; milliseconds: number }
export type LoadReply = { succeeded: number; failed: number; milliseconds: number }

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const STATUS_200 = Buffer.from('HTTP/1.1 200')

/** Uses raw sockets and parses as little as possible, to leave the processor to the server. */
async function load({ port, httpRequest, connections, milliseconds }: LoadRequest): Promise<LoadReply> {
  const bytes = Buffer.from(httpRequest)
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const start = performance.now()
  let succeeded = 0
  let failed = 0
  let isOver = false
  const sendRepeatedly = (socket: Socket) => {
    let partial: Buffer | undefined
    socket.on('data', (chunk) => {
      const received = partial ? Buffer.concat([partial, chunk]) : chunk
      partial = received
      const length = responseLength(received)
      if (length === undefined || received.length < length) return
      partial = undefined
      if (isOver) return
      if (received.subarray(0, STATUS_200.length).equals(STATUS_200)) succeeded += 1
      else failed += 1
      socket.write(bytes)
    })
    socket.on('error', () => (failed += 1))
    socket.write(bytes)
  }
  for (const socket of sockets) sendRepeatedly(socket)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  isOver = true
  const elapsed = performance.now() - start
  for (const socket of sockets) socket.destroy()
  return { succeeded, failed, milliseconds: elapsed }
}

const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true)
    socket.once('error', reject)
  })

/** The length of the whole response; undefined until its head has arrived. */
function responseLength(received: Buffer): number | undefined {
  const headLength = received.indexOf(END_OF_HEAD)
  if (headLength < 0) return undefined
  const contentLength = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, headLength))
  if (!contentLength) throw new Error('A response has no content-length.')
  return headLength + END_OF_HEAD.length + Number(contentLength[1])
}

process.on('message', async (request: LoadRequest) => process.send?.(await load(request)))
