import { connect, type Socket } from 'node:net'

/** What is to be asked, over and over, on so many connections that stay open. */
export type Order = { port: number; request: string; connections: number; milliseconds: number }
export type Tally = { answered: number; refused: number; milliseconds: number }

const HEAD_END = Buffer.from('\r\n\r\n')
const FINE = Buffer.from('HTTP/1.1 200')

/** Asks over bare sockets and reads no more than it must: the machine belongs to whom is asked. */
async function load({ port, request, connections, milliseconds }: Order): Promise<Tally> {
  const bytes = Buffer.from(request)
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)))
  const begun = performance.now()
  let answered = 0
  let refused = 0
  let isOver = false
  const talk = (socket: Socket) => {
    let part: Buffer | undefined
    socket.on('data', (arrived) => {
      const received = part ? Buffer.concat([part, arrived]) : arrived
      part = received
      const end = endOf(received)
      if (end === undefined || received.length < end) return
      part = undefined
      if (isOver) return
      if (received.subarray(0, FINE.length).equals(FINE)) answered += 1
      else refused += 1
      socket.write(bytes)
    })
    socket.on('error', () => (refused += 1))
    socket.write(bytes)
  }
  for (const socket of sockets) talk(socket)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  isOver = true
  const took = performance.now() - begun
  for (const socket of sockets) socket.destroy()
  return { answered, refused, milliseconds: took }
}

const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true)
    socket.once('error', reject)
  })

/** Where an answer ends, once its head is there. */
function endOf(received: Buffer): number | undefined {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, head))
  if (!length) throw new Error('An answer has no length.')
  return head + HEAD_END.length + Number(length[1])
}

process.on('message', async (order: Order) => process.send?.(await load(order)))
