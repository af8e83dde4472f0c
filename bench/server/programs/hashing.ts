import { hashPassword } from '#server/secrets/password-hash.ts'

// The peer of the enrollments: Foyer's own password hash with the same parameters and concurrency, and nothing else.

export type HashingRequest = { milliseconds: number; concurrency: number }
export type HashingReply = { hashes: number; milliseconds: number }

process.on('message', async ({ milliseconds, concurrency }: HashingRequest) => {
  const limits = { HASHES_AT_ONCE: concurrency, HASHES_WAITING: 1 }
  const start = performance.now()
  let hashes = 0
  const worker = async () => {
    while (performance.now() - start < milliseconds) {
      await hashPassword(`Open-Sesame-${hashes}`, limits, { lane: 'enrollment', key: '' })
      hashes += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  process.send?.({ hashes, milliseconds: performance.now() - start } satisfies HashingReply)
})
