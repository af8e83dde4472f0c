import { Unreachable } from '#web/network.ts'
import { notice } from './notice.ts'

export type MomentOptions = {
  /** Aborts the call when its answer is no longer wanted. */
  signal?: AbortSignal
  /** Whether the visitor still waits for it. A call that is waiting is not sent again if they have moved on. */
  isWanted?: () => boolean
  /** How long the call may wait. 0 is for polls, which come again anyway. */
  waitMs?: number
}

const LONGEST_WAIT_MS = 60_000
const NOTICE_MS = 1_000

const browser = { now: () => Date.now(), random: Math.random, pause, notice: { begin: notice.begin } }

/**
 * 503 with Retry-After means that nothing was done, or that what was done is found by the same key. The same request is
 * sent again, while the screen says “One moment, please”. After that the 503 is the answer.
 */
export async function untilAnswered(
  send: () => Promise<Response>,
  { signal, isWanted = () => true, waitMs = LONGEST_WAIT_MS }: MomentOptions = {},
  { now, random, pause, notice } = browser,
): Promise<Response> {
  const startedAt = now()
  let endNotice: (() => void) | undefined
  try {
    for (;;) {
      const reply = await send()
      const pauseMs = (retryAfter(reply) ?? 0) * 1000 * (1 + random() / 4)
      if (reply.status !== 503 || !pauseMs || now() + pauseMs > startedAt + waitMs) return reply
      endNotice ??= notice.begin(Math.max(0, startedAt + NOTICE_MS - now()))
      await pause(pauseMs, signal)
      if (!isWanted()) return reply
      reply.text().catch(() => undefined) // an unread reply keeps its connection
    }
  } finally {
    endNotice?.()
  }
}

/** In seconds. A date, which our server never sends, is ignored. */
export const retryAfter = ({ headers }: Response): number | undefined => Number(headers.get('retry-after')) || undefined

function pause(milliseconds: number, signal: AbortSignal | undefined) {
  return new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(new Unreachable('The call was aborted.', { cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort)
  })
}
