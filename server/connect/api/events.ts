import type * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import { type EventType, eventTypes } from '#contract/events.ts'
import { readFeed } from '#server/events/feed.ts'
import { waitForEvents } from '#server/events/wait.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { ApiRequest } from './api.ts'

type Query = z.infer<ApiCalls['listEvents']['query']>

/** How many readers may wait in this process at a time. */
const MAX_WAITING = 100

let waiting = 0

/** Waits no longer than the reader does, and ends when the server closes. */
export async function listEvents(world: World, { after, limit, types: names, wait }: Query, { signal }: ApiRequest) {
  const types = names === undefined ? undefined : typesIn(names)
  if (!wait) return shown(await readFeed(world, after, limit, types))
  if (waiting >= MAX_WAITING)
    throw new Refusal(503, 'Too many readers are waiting for events. Please try again in a moment, or without wait.', {
      retryAfter: 5,
    })
  waiting++
  try {
    return shown(await waitForEvents(world, after, { limit, types, seconds: wait, signal: signal() }))
  } finally {
    waiting--
  }
}

/** Waiting for a misspelled type would never end. */
function typesIn(text: string): EventType[] {
  return text.split(',').map((name) => {
    if (!Object.hasOwn(eventTypes, name))
      throw refuseField('types', `There is no event type ${name}. The types are ${Object.keys(eventTypes).join(', ')}.`)
    return name as EventType
  })
}

/** Without the position, which would reveal how much happens. */
const shown = ({ events, ...page }: Awaited<ReturnType<typeof readFeed>>) => ({
  ...page,
  events: events.map(({ position: _, ...event }) => event),
})
