import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transaction } from '#server/gateways/payment/port.ts'
import type { Rule } from '#server/gateways/payment/sandbox/faults.ts'
import { fastSettings, generousLimits } from '#server/test/generous-settings.ts'
import { runProgram, waitUntilReady } from '#server/test/process.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Injection } from '../fault-injection/fault-injection.ts'
import type { Workspace } from './workspace.ts'

/** High rate limits and a cheap captcha. */
export const testSettings = { ...generousLimits, ...fastSettings }

/** For drills in real time: Foyer gives up on an attempt after seconds instead of half an hour. */
export const SHORT_DEADLINES = { PAYMENT_DEADLINE_SECONDS: '2', PAYMENT_IN_FLIGHT_SECONDS: '7' }
export const shortDeadlines = `deadline ${SHORT_DEADLINES.PAYMENT_DEADLINE_SECONDS} s, in flight ${SHORT_DEADLINES.PAYMENT_IN_FLIGHT_SECONDS} s`

/** The gateway loses one answer in ten: half of them before it has acted, half after. */
export const LOST_ANSWERS: Rule[] = (['authorize', 'lookup', 'capture', 'void'] as const).flatMap((on) => [
  { on, fault: 'lost_before', share: 0.05 },
  { on, fault: 'lost_after', share: 0.05 / 0.95 },
])

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** The payment sandbox as a process of its own. After a kill it restarts on the same port with the same ledger. */
export async function startSandbox({ folder }: Workspace, faults: Rule[] = []) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const start = async () => {
    const args = ['--port', String(port), '--ledger', join(folder, 'ledger.jsonl')]
    const program = runProgram('server/gateways/payment/sandbox/main.ts', args, {})
    await waitUntilReady(program, `${url}/faults`)
    return program
  }
  let program = await start()
  const setFaults = async (rules: Rule[]) => {
    const reply = await fetch(`${url}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    })
    if (!reply.ok) throw new Error(`The sandbox rejected the faults: ${await reply.text()}`)
  }
  await setFaults(faults)
  const end = (signal: 'SIGKILL' | 'SIGTERM') => async () => {
    program.child.kill(signal)
    await program.ended
  }
  return {
    url,
    setFaults,
    kill: end('SIGKILL'),
    stop: end('SIGTERM'),
    restart: async () => {
      program = await start()
    },
    /** All transactions that the sandbox has recorded. */
    transactions: async (): Promise<Transaction[]> => {
      const reply = await fetch(`${url}/transactions?since=1970-01-01T00:00:00Z`)
      const { transactions } = (await reply.json()) as { transactions: Transaction[] }
      return transactions
    },
  }
}

export type Foyer = Awaited<ReturnType<typeof startFoyer>>
export type StartOptions = {
  workspace: Workspace
  sandbox: Pick<Sandbox, 'url'>
  port: number
  settings?: Record<string, string>
  /** Starts drill/fault-injection/server.ts. Without it: the program that an operator starts. */
  injection?: Injection
  /** The folder of another version. Without it: this one. */
  version?: string
}

/** Foyer as a process. It keeps its port across restarts, so that visitors find it again. */
export async function startFoyer({ workspace, sandbox, port, settings = {}, injection, version = '' }: StartOptions) {
  const url = `http://127.0.0.1:${port}`
  const [script, args]: [string, string[]] = injection
    ? ['drill/fault-injection/server.ts', [JSON.stringify(injection)]]
    : [join(version, 'server/main.mjs'), []]
  const env = {
    ...testSettings,
    ...workspace.settings,
    PUBLIC_URL: url,
    ...settings,
    PORT: String(port),
    PAYMENT_SANDBOX_URL: sandbox.url,
  }
  const program = runProgram(script, args, env)
  let shouldRun = true
  program.child.stdin?.on('error', () => undefined) // the process may have ended
  void program.ended.then(() => writeFileSync(join(workspace.folder, 'foyer.log'), program.output(), { flag: 'a' }))
  await waitUntilReady(program, `${url}/readyz`)
  const hasEnded = () => program.child.exitCode !== null || program.child.signalCode !== null
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    shouldRun &&= hasEnded()
    program.child.kill(signal)
    await program.ended
  }
  return {
    url,
    ended: program.ended,
    /** The last output of a process that ended although nothing stopped it. */
    crashOutput: () => (shouldRun && hasEnded() ? program.output().slice(-2000) : undefined),
    output: program.output,
    /** Works only with an injection. */
    advanceClock: (seconds: number) => program.child.stdin?.write(`advance ${seconds}\n`),
    /** kill -9: no cleanup, no output. */
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}
