import { createServer } from 'node:net'

const given = new Set()

/**
 * A port that is free now, and that this program has not been given before. Below 32768, where outgoing connections begin,
 * nobody takes it by chance in between.
 */
export async function freePort() {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 12000)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
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
