import { isDatabaseAway } from '#server/db/away.ts'
import { withoutWaiting } from '#server/db/outage.ts'
import type { World } from './world.ts'

/** A page doesn't wait longer for what this process already knows. */
const WAIT_MS = 2_000

/**
 * Reads something each time. While the database is away or silent, what was read last has to do: `max` values are
 * remembered, those that were used last.
 */
export function lastKnown<Value>(max: number) {
  const memories = new WeakMap<World['keys'], Map<string, Value>>()
  return async ({ keys }: Pick<World, 'keys'>, key: string, read: () => Promise<Value>): Promise<Value> => {
    const memory = memories.get(keys) ?? new Map<string, Value>()
    memories.set(keys, memory)
    const known = memory.get(key)
    const value = known === undefined ? await read() : await readOrKeep(known, () => withoutWaiting(read))
    memory.delete(key)
    if (value !== undefined) memory.set(key, value)
    const [oldest] = memory.keys()
    if (memory.size > max && oldest !== undefined) memory.delete(oldest)
    return value
  }
}

function readOrKeep<Value>(known: Value, read: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, WAIT_MS, known)
    read()
      .catch((error: unknown) => {
        if (isDatabaseAway(error)) return known
        throw error
      })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
