import type * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import { type EventType, eventTypes } from '#contract/events.ts'
import { readFeed } from '#server/events/feed.ts'
import { refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

type Query = z.infer<ApiCalls['listEvents']['query']>

export async function listEvents(world: World, { after, limit, types }: Query) {
  return shown(await readFeed(world, after, limit, types === undefined ? undefined : typesIn(types)))
}

/** A misspelled type would wait forever. */
function typesIn(text: string): EventType[] {
  return text.split(',').map((name) => {
    if (!Object.hasOwn(eventTypes, name))
      throw refuseField('types', `There is no event ${name}. The types are ${Object.keys(eventTypes).join(', ')}.`)
    return name as EventType
  })
}

/** Without the position, which would tell how much happens. */
const shown = ({ events, ...page }: Awaited<ReturnType<typeof readFeed>>) => ({
  ...page,
  events: events.map(({ position: _, ...event }) => event),
})
