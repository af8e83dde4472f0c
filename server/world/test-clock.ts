import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import type { Config } from '#server/config/config.ts'
import { EMBEDDED_PARTS } from '#server/config/rules.ts'
import { OperatorError } from '#server/operator-error.ts'

/** A clock that can be advanced, to see months of a membership in a minute. */
export type TestClock = {
  now: () => Date
  /** How far it is ahead of the system clock. */
  aheadMs: () => number
  moveTo: (time: Date) => void
  /** The newest turn. */
  lastTurn: () => Turn | undefined
  recordTurn: (turn: Turn) => void
  /** Runs work of the worker, which waits while the clock advances. */
  whileStill: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Runs a turn: one at a time, and while the worker rests. */
  whileTurning: <Result>(work: () => Promise<Result>) => Promise<Result>
}
export type Turn = { from: Date; to: Date }

/** Only where every part is a stand-in: no other process, bank or mail server would follow the clock. Never in production. */
export const mayAdvanceClock = ({ production, embedded, PAYMENT_SANDBOX_URL }: Config): boolean =>
  !production && !PAYMENT_SANDBOX_URL && EMBEDDED_PARTS.every((part) => embedded.includes(part))

const Saved = z.object({
  ahead_ms: z.number().check(z.gte(0)),
  last_turn: z.optional(z.object({ from: z.iso.datetime(), to: z.iso.datetime() })),
})

/** The file keeps the offset, because the rows of a database that has seen the future make no sense before it. */
export function openTestClock(file: string, systemNow: () => Date): TestClock {
  let { ahead_ms, last_turn } = read(file)
  const save = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.part`, JSON.stringify({ ahead_ms, last_turn }))
    renameSync(`${file}.part`, file)
  }
  return {
    now: () => new Date(systemNow().getTime() + ahead_ms),
    aheadMs: () => ahead_ms,
    moveTo: (time) => {
      ahead_ms = Math.max(time.getTime() - systemNow().getTime(), ahead_ms)
      save()
    },
    lastTurn: () => last_turn && { from: new Date(last_turn.from), to: new Date(last_turn.to) },
    recordTurn: ({ from, to }) => {
      last_turn = { from: from.toISOString(), to: to.toISOString() }
      save()
    },
    ...turnsAndTasks(),
  }
}

function read(file: string): z.infer<typeof Saved> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return { ahead_ms: 0 } // it was never turned
  }
  try {
    return z.parse(Saved, JSON.parse(text))
  } catch {
    throw new OperatorError(`${file} cannot be read. Remove it to go back to the time of this computer.`)
  }
}

/** Many tasks at once, or one turn. */
function turnsAndTasks(): Pick<TestClock, 'whileStill' | 'whileTurning'> {
  const tasks = new Set<Promise<unknown>>()
  let turn: Promise<unknown> | undefined
  return {
    whileStill: async (work) => {
      while (turn) await turn
      const task = work()
      const end = () => tasks.delete(task)
      tasks.add(task)
      task.then(end, end)
      return task
    },
    whileTurning: async (work) => {
      while (turn) await turn
      const result = Promise.allSettled(tasks).then(work)
      const end = () => {
        turn = undefined
      }
      turn = result.then(end, end)
      return result
    },
  }
}
