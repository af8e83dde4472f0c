import type { FeedEvent } from '#contract/events.ts'
import type { Delivery, StoredEvent } from './deliveries.ts'

export const TEST_TYPE = 'webhook.test'

/** The text of a delivery, the same for every try: the event as the feed has it, in the form of Standard Webhooks. */
export function bodyOf({ type, at, id, version, member_id, payload }: StoredEvent): string {
  const data = { id, type, version, at: at.toISOString(), member_id, payload } as FeedEvent
  return JSON.stringify({ type, timestamp: data.at, data })
}

export const testBody = ({ event_id, happened_at }: Pick<Delivery, 'event_id' | 'happened_at'>): string =>
  JSON.stringify({
    type: TEST_TYPE,
    timestamp: happened_at.toISOString(),
    data: { id: event_id, type: TEST_TYPE, message: 'This is a test. Nothing has happened.' },
  })
