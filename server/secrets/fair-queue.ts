import { tooBusy } from '#server/refusal.ts'

/** Who wants to do something that only a few can do at once: in which lane, and whose turn it uses there. */
export type Applicant<Lane> = { lane: Lane; key: string }

type Waiting = { start: () => void; refuse: (reason: Error) => void }
/** By key, in the order of their turns. */
type Queue = { count: number; byKey: Map<string, Waiting[]> }

/**
 * Lanes take turns, and so do the keys within a lane: a crowd in one lane delays no other, and a crowd of one network delays
 * no other network. Each lane has room for `waiting`. When it is full, the newest of the longest key has to go.
 */
export function fairQueue<Lane extends string>(lanes: readonly Lane[]) {
  let running = 0
  let turn = 0
  const queues = new Map(lanes.map((lane): [Lane, Queue] => [lane, { count: 0, byKey: new Map() }]))

  function wait({ lane, key }: Applicant<Lane>, room: number): Promise<void> {
    const queue = queues.get(lane)
    if (!queue) throw new Error(`There is no lane '${lane}'.`)
    if (queue.count >= room && !dropLongest(queue, key)) throw tooBusy()
    return new Promise((start, refuse) => {
      queue.byKey.set(key, [...(queue.byKey.get(key) ?? []), { start, refuse }])
      queue.count++
    })
  }

  function next(): Waiting | undefined {
    for (let tried = 0; tried < lanes.length; tried++) {
      const queue = queues.get(lanes[turn++ % lanes.length] as Lane)
      const waiting = queue && takeTurn(queue)
      if (waiting) return waiting
    }
    return undefined
  }

  return async function run<Result>(
    applicant: Applicant<Lane>,
    { atOnce, waiting }: { atOnce: number; waiting: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (running >= atOnce) await wait(applicant, waiting)
    else running++
    try {
      return await work()
    } finally {
      const following = next()
      if (following) following.start()
      else running--
    }
  }
}

/** The first of the key whose turn it is. That key then goes to the end. */
function takeTurn(queue: Queue): Waiting | undefined {
  const [entry] = queue.byKey
  if (!entry) return undefined
  const [key, [first, ...rest]] = entry
  queue.byKey.delete(key)
  if (rest.length) queue.byKey.set(key, rest)
  queue.count--
  return first
}

/** Makes room if another key has more waiting than this one would have. */
function dropLongest(queue: Queue, key: string): boolean {
  const own = queue.byKey.get(key)?.length ?? 0
  let longest: Waiting[] = []
  for (const list of queue.byKey.values()) if (list.length > longest.length) longest = list
  if (longest.length <= own + 1) return false
  longest.pop()?.refuse(tooBusy())
  queue.count--
  return true
}
