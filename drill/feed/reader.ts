import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedEvent } from '#contract/events.ts'
import { readCursor } from '#server/events/cursor.ts'
import type { FeedPage } from '#server/events/feed.ts'

type Heard = FeedEvent & { position: number }
export type Reader = ReturnType<typeof startReader>

const WAIT_SECONDS = 2

/** Another company's system: it follows the feed through everything, and remembers what it has heard. */
export function startReader(feedUrl: string, { knowsPositions = true } = {}) {
  let heard: Heard[] = []
  let cursor: string | undefined
  let isFollowing = true
  let toldToGoBack = 0
  const problems: string[] = []

  /** Returns whether there may be more. */
  const readPage = async (seconds: number): Promise<boolean> => {
    const after = cursor === undefined ? '' : `&after=${cursor}`
    const reply = await fetch(`${feedUrl}/events?wait=${seconds}${after}`)
    const body = await reply.json()
    if (reply.status === 409) {
      toldToGoBack += 1
      cursor = String(body.last_common_cursor)
      const { position } = readCursor(cursor)
      heard = heard.filter((event) => event.position <= position)
      return true
    }
    if (!reply.ok) throw new Error(`${reply.status}: ${body.message}`)
    const page: FeedPage = body
    for (const event of page.events) {
      const last = heard.at(-1)?.position ?? 0
      if (knowsPositions && event.position !== last + 1) problems.push(`position ${event.position} after ${last}`)
      heard.push(event)
    }
    cursor = page.cursor
    return page.events.length > 0 || page.has_more
  }

  const following = (async () => {
    while (isFollowing) {
      const hasMore = await readPage(WAIT_SECONDS).catch(() => false) // the server was killed
      if (!hasMore) await sleep(20)
    }
  })()

  return {
    heard: () => heard,
    toldToGoBack: () => toldToGoBack,
    problems,
    /** Reads to the end, and stops. */
    finish: async () => {
      isFollowing = false
      await following
      while (await readPage(0));
    },
  }
}
