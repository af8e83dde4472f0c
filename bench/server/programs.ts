import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitUntilReady } from '#server/test/process.ts'
import { testSettings } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { freePort } from '../../scripts/port.mjs'

/** Whatever happens to the bench, nothing of it stays behind. */
const running = new Set<ChildProcess>()
const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-'))
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

type Env = Record<string, string>
export type Program = ReturnType<typeof runProgram>

/** A Node program as its own process, with nothing of ours in its environment. It can be talked to. */
export function runProgram(args: string[], env: Env = {}) {
  const log = join(folder, `${++started}.log`)
  const sink = openSync(log, 'a') // as under a supervisor: nobody of ours reads along while it is measured
  const child = spawn(process.execPath, args, { env: { ...machine(), ...env }, stdio: ['ignore', sink, sink, 'ipc'] })
  closeSync(sink)
  running.add(child)
  const said = () => readFileSync(log, 'utf8').slice(-LAST_WORDS)
  const ended = once(child, 'exit').then(() => running.delete(child))
  return {
    child,
    said,
    /** Asks something and waits for the answer; one question at a time. */
    ask: async <Answer>(question: object): Promise<Answer> => {
      const answered = once(child, 'message')
      child.send(question)
      const gone = ended.then(() => Promise.reject(new Error(`A program ended:\n${said()}`)))
      const [answer] = (await Promise.race([answered, gone])) as [Answer]
      return answer
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const LAST_WORDS = 4000
let started = 0
const machine = (): Env => {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME }
}

export type Foyer = Awaited<ReturnType<typeof startFoyer>>
type Starting = {
  place: Pick<Workspace, 'settings'>
  /** What is loaded before the product's own program. */
  before?: string[]
  settings?: Env
  node?: string[]
}

/** Limits that nobody meets, a cheap captcha, and for the rest what an operator has in production. */
const asInProduction = (url: string): Env => ({
  ...testSettings,
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  SECRET: 'a secret of the bench only',
  ALLOW_EMBEDDED: 'payment,phone,mail',
  PUBLIC_URL: url,
})

/** To 5 ms: starts are measured by it. */
export const answers = (program: Pick<Program, 'child' | 'said'>, url: string) => waitUntilReady(program, url, 5)

/** The product's own program, as an operator starts it. */
export async function startFoyer({ place, before = [], settings: own = {}, node = [] }: Starting) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const imports = before.flatMap((module) => ['--import', new URL(module, import.meta.url).href])
  const program = runProgram([...node, ...imports, 'server/main.ts'], {
    ...asInProduction(url),
    ...place.settings,
    ...own,
    PORT: String(port),
  })
  await answers(program, `${url}/readyz`)
  return { ...program, url, port }
}
