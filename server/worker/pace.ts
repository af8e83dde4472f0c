import type { IncomingMessage, Server } from 'node:http'
import { API } from '#contract/api.ts'

/** Work follows calls of the API. Without one for a while, there is little to find. */
const AWAKE_MS = 30_000
const IDLE_PAUSE_MS = { awake: 500, asleep: 5_000 }

/**
 * How often a worker's loops look for work. A call of the API wakes a worker that looks less often: it may leave work, or ask
 * how a payment ended. A page, or a probe of `/readyz`, does neither.
 */
export function createPace(server?: Server) {
  const pauses = new Set<() => void>()
  let usedAt = performance.now()
  let hasEnded = false
  const isAsleep = () => server !== undefined && performance.now() - usedAt > AWAKE_MS
  const endPauses = () => {
    for (const end of pauses) end()
  }
  const onRequest = ({ url = '' }: IncomingMessage) => {
    if (!url.startsWith(`${API}/`)) return
    if (isAsleep()) endPauses()
    usedAt = performance.now()
  }
  server?.on('request', onRequest)
  return {
    /** No pause after a full batch; a short one after a partial batch, so that more work collects; a longer one when idle. */
    pauseAfter(done: number, batchSize: number): Promise<void> | undefined {
      if (hasEnded || done >= batchSize) return undefined
      const ms = done ? 100 : IDLE_PAUSE_MS[isAsleep() ? 'asleep' : 'awake']
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          pauses.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms).unref()
        pauses.add(end)
      })
    },
    end() {
      hasEnded = true
      server?.off('request', onRequest)
      endPauses()
    },
  }
}
