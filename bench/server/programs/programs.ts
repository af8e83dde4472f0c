import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { waitUntilReady } from '#server/test/process.ts'
import { testSettings } from '../../../drill/site/processes.ts'
import type { Workspace } from '../../../drill/site/workspace.ts'
import { freePort } from '../../../scripts/port.mjs'

/** Killed when the bench exits, even after an error. */
const running = new Set<ChildProcess>()

/** What a part left running when it failed must not slow down the next one. */
export const killPrograms = () =>
  Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL')
      return once(child, 'exit')
    }),
  )

const logFolder = mkdtempSync(join(tmpdir(), 'foyer-bench-'))
let logCount = 0
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(logFolder, { recursive: true, force: true })
})

type Env = Record<string, string>
export type Program = ReturnType<typeof runProgram>

/** Starts a Node program with a clean environment. It answers messages over IPC. */
export function runProgram(args: string[], env: Env = {}) {
  const { PATH = '', HOME = '' } = process.env
  const logFile = join(logFolder, `${++logCount}.log`)
  const log = openSync(logFile, 'a') // a file, as under a supervisor: reading a pipe would cost time while we measure
  const child = spawn(process.execPath, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', log, log, 'ipc'] })
  closeSync(log)
  running.add(child)
  const output = () => readFileSync(logFile, 'utf8').slice(-LOG_TAIL)
  const exited = once(child, 'exit').then(() => running.delete(child))
  return {
    child,
    output,
    /** Sends a request and waits for the reply. Only one request may be open at a time. */
    request: async <Reply>(message: object): Promise<Reply> => {
      const replied = once(child, 'message')
      child.send(message)
      const failed = exited.then(() => Promise.reject(new Error(`A program ended early:\n${output()}`)))
      const [reply] = (await Promise.race([replied, failed])) as [Reply]
      return reply
    },
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const LOG_TAIL = 4000

/** Starts one of the programs in this folder. */
export const runBenchProgram = (
  name: 'bare-server' | 'hashing' | 'http-load' | 'visitors',
  args: string[] = [],
  env: Env = {},
): Program => runProgram([join(import.meta.dirname, `${name}.ts`), ...args], env)

export type Foyer = Awaited<ReturnType<typeof startFoyer>>
/** The modules in bench/server/preload/. */
export type Preload = 'no-hash' | 'no-events' | 'record-statements' | 'report-memory' | 'report-processor'
type StartOptions = {
  database: Pick<Workspace, 'settings'>
  /** Modules that are loaded before Foyer. */
  preload?: Preload[]
  settings?: Env
  nodeFlags?: string[]
}

/** Limits that are never reached and a cheap captcha; otherwise the settings of a production server. */
const productionSettings = (url: string): Env => ({
  ...testSettings,
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  SECRET: TEST_SECRET,
  ALLOW_EMBEDDED: 'payment,phone,mail',
  PUBLIC_URL: url,
})

/** Waits for a 200, checking every 5 ms because start-up times are measured with it. */
export const waitForReady = ({ child, output }: Pick<Program, 'child' | 'output'>, url: string) =>
  waitUntilReady({ child, output }, url, 5)

/** Starts Foyer the way an operator does. */
export async function startFoyer({ database, preload = [], settings = {}, nodeFlags = [] }: StartOptions) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const imports = preload.flatMap((name) => ['--import', new URL(`../preload/${name}.ts`, import.meta.url).href])
  const program = runProgram([...nodeFlags, ...imports, 'server/main.mjs'], {
    ...productionSettings(url),
    ...database.settings,
    ...settings,
    PORT: String(port),
  })
  await waitForReady(program, `${url}/readyz`)
  return { ...program, url, port }
}
