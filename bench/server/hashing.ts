import { hashPassword } from '#server/secrets/password-hash.ts'

// The peer of the enrollments: Foyer's own hash with its own parameters, as many at once, and nothing else.

export type Asked = { milliseconds: number; atOnce: number }
export type Told = { hashed: number; milliseconds: number }

process.on('message', async ({ milliseconds, atOnce }: Asked) => {
  const room = { HASHES_AT_ONCE: atOnce, HASHES_WAITING: 1 }
  const begun = performance.now()
  let hashed = 0
  const lane = async () => {
    while (performance.now() - begun < milliseconds) {
      await hashPassword(`Open-Sesame-${hashed}`, room)
      hashed += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  process.send?.({ hashed, milliseconds: performance.now() - begun } satisfies Told)
})
