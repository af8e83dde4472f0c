import type { World } from '#server/world/world.ts'

/** An older answer is refreshed in the background. */
const FRESH_MS = 30_000
/** A younger answer is used without waiting for the host. */
const RECENT_MS = 5 * 60_000
/** How long to wait before an older answer is used after all. */
const PATIENCE_MS = 1_000
/** How long to leave a host alone after it failed. */
const PAUSE_MS = 2_000

type Entry<Value> = {
  value?: { it: Value; readAt: number }
  reading?: Promise<Value>
  failure?: { error: unknown; at: number }
}

/**
 * The host's answers, by key. We ask at most every half minute, in the background, and while the host is away its last answer
 * stays in use. Only the newest keys are remembered.
 */
export function remember<Value>({ now }: Pick<World, 'now'>, maxKeys: number, read: (key: string) => Promise<Value>) {
  const entries = new Map<string, Entry<Value>>()

  const entryOf = (key: string): Entry<Value> => {
    const entry = entries.get(key) ?? {}
    entries.delete(key)
    entries.set(key, entry) // the newest is last
    const [oldest] = entries.keys()
    if (entries.size > maxKeys && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  const readAgain = (key: string, entry: Entry<Value>): Promise<Value> => {
    if (entry.reading) return entry.reading
    const time = now().getTime()
    if (entry.failure && time - entry.failure.at < PAUSE_MS) return Promise.reject(entry.failure.error)
    entry.reading = read(key)
      .then((it) => {
        entry.value = { it, readAt: now().getTime() }
        delete entry.failure
        return it
      })
      .catch((error: unknown) => {
        entry.failure = { error, at: now().getTime() }
        throw error
      })
      .finally(() => {
        delete entry.reading
      })
    return entry.reading
  }

  return {
    async get(key = ''): Promise<Value> {
      const entry = entryOf(key)
      const { value } = entry
      if (!value) return readAgain(key, entry)
      const age = now().getTime() - value.readAt
      if (age < FRESH_MS) return value.it
      const orLast = readAgain(key, entry).catch(() => value.it)
      return age < RECENT_MS ? value.it : Promise.race([orLast, after(PATIENCE_MS, value.it)])
    },
    /** What is known without asking. */
    last: (key = ''): Value | undefined => entries.get(key)?.value?.it,
  }
}

const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(value), ms).unref()
  })
