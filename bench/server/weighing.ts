/** What the process weighs once everything that nobody needs is gone. */
export type Weight = { heap: number; resident: number }

// Loaded before the product, with --expose-gc: weighs the process when it is asked.
process.on('message', () => {
  for (let time = 0; time < 3; time++) globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heap: heapUsed, resident: rss } satisfies Weight)
})
process.channel?.unref()
