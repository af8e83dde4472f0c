import { withoutWaiting } from '#server/db/outage.ts'
import type { World } from './world.ts'

/** A process sees what another one changed after at most this long, also if nobody has asked in between. */
const MAX_AGE_MS = 4_000
/** From this age on, the value is read again in the background. */
const FRESH_MS = 2_000

type Entry<Value> = { value?: { it: Value; readAt: number }; reading?: Promise<Value> | undefined }

/**
 * A small value in the database that many requests need and that rarely changes. Each process reads it at most every two
 * seconds, so that no request pays for a query, and never uses one that is older than four.
 */
export function sharedValue<Value>(read: (world: World) => Promise<Value>) {
  const entries = new WeakMap<World['keys'], Entry<Value>>() // the keys are the same object for as long as a process runs
  const entryOf = ({ keys }: World) => {
    const entry = entries.get(keys) ?? {}
    entries.set(keys, entry)
    return entry
  }
  const readAgain = (world: World, entry: Entry<Value>): Promise<Value> => {
    entry.reading ??= read(world)
      .then((it) => {
        if (entries.get(world.keys) === entry) entry.value = { it, readAt: performance.now() }
        return it
      })
      .finally(() => {
        entry.reading = undefined
      })
    return entry.reading
  }
  return {
    /** If the database does not answer, what was read last. */
    async get(world: World): Promise<Value> {
      const entry = entryOf(world)
      const { value } = entry
      const age = value ? performance.now() - value.readAt : Number.POSITIVE_INFINITY
      if (value && age < FRESH_MS) return value.it
      if (!value) return readAgain(world, entry)
      const reading = withoutWaiting(() => readAgain(world, entry))
      const orLast = reading.catch(() => value.it)
      return age < MAX_AGE_MS ? value.it : orLast
    },
    /** After a change by this process: the next request reads it. */
    forget: ({ keys }: Pick<World, 'keys'>) => void entries.delete(keys),
  }
}
