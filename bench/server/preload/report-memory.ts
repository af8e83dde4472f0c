export type MemoryUsage = { heap: number; resident: number }

// Loaded before Foyer, with --expose-gc. Reports the memory in use after garbage collection on any message.
process.on('message', () => {
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heap: heapUsed, resident: rss } satisfies MemoryUsage)
})
process.channel?.unref()
