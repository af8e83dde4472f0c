import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SeededRandom } from '../seeded-random.ts'
import type { Command, Reply } from './worker.ts'

const { PATH = '', HOME = '' } = process.env
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export type Task = Command extends infer Any ? (Any extends Command ? Omit<Any, 'id'> : never) : never
type Worker = Awaited<ReturnType<typeof startWorker>>
export type WorkerPool = Awaited<ReturnType<typeof startWorkers>>

/** Processes that share a database. Replies of a killed one never come, so its tasks end as 'killed'. */
export async function startWorkers(count: number, env: Record<string, string>, now: () => Date, random: SeededRandom) {
  let output = ''
  let settings = env
  const start = () =>
    startWorker(settings, now(), (text) => {
      output += text
    })
  const workers = await Promise.all(Array.from({ length: count }, start))
  return {
    workers,
    any: (): Worker => random.pick(workers),
    /** kill -9 of one of them, and a new process in its place. True if it had work. */
    kill: async (): Promise<boolean> => {
      const index = random.below(workers.length)
      const hadWork = await (workers[index] as Worker).kill()
      workers[index] = await start()
      return hadWork
    },
    /** All of them stop and start again with other settings. */
    restart: async (changes: Record<string, string>): Promise<void> => {
      settings = { ...settings, ...changes }
      await Promise.all(workers.map((worker) => worker.stop()))
      workers.splice(0, count, ...(await Promise.all(Array.from({ length: count }, start))))
    },
    stop: () => Promise.all(workers.map((worker) => worker.stop())),
    /** What they have logged: only errors. */
    output: () => output,
  }
}

async function startWorker(env: Record<string, string>, now: Date, onOutput: (text: string) => void) {
  const script = join(import.meta.dirname, 'worker.ts')
  const child = spawn(process.execPath, ['--liftoff-only', script, now.toISOString()], {
    env: { PATH, HOME, NODE_COMPILE_CACHE: join(tmpdir(), 'foyer-compiled'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      output += bytes
      onOutput(String(bytes))
    })
  const ended = once(child, 'exit').then(() => running.delete(child))
  const waiting = new Map<number, PromiseWithResolvers<Reply | 'killed'>>()
  let isKilled = false
  const ready = Promise.withResolvers<Reply | 'killed'>()
  waiting.set(0, ready)
  child.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.resolve(reply)
    waiting.delete(reply.id)
  })
  void ended.then(() => {
    for (const { resolve, reject } of waiting.values())
      isKilled ? resolve('killed') : reject(new Error(`A worker ended:\n${output.slice(-2000)}`))
  })
  let lastId = 0
  await ready.promise
  return {
    send: async (task: Task): Promise<Reply | 'killed'> => {
      if (isKilled) return 'killed'
      const reply = Promise.withResolvers<Reply | 'killed'>()
      const id = ++lastId
      waiting.set(id, reply)
      child.send({ id, ...task }, () => undefined) // if the channel has closed, the process has ended, and that is noticed
      const answer = await reply.promise
      if (answer !== 'killed' && answer.error) throw new Error(answer.error)
      return answer
    },
    kill: async () => {
      isKilled = true
      const hadWork = waiting.size > 0
      child.kill('SIGKILL')
      await ended
      return hadWork
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
