import { createServer } from 'node:net'

const issuedPorts = new Set()

/** A free port that this program has not used yet. Ports below 32768 are not taken by outgoing connections. */
export async function freePort() {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 12000)
    if (issuedPorts.has(port) || !(await isFree(port))) continue
    issuedPorts.add(port)
    return port
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
