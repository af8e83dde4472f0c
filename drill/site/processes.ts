import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Transaction } from '#server/gateways/payment/port.ts'
import type { Rule } from '#server/gateways/payment/sandbox/faults.ts'
import { hurry, plenty } from '#server/test/plenty.ts'
import { answering, runProgram } from '#server/test/process.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Ground, Place } from '../drill.ts'
import type { Dressing } from '../fault-injection/server.ts'

/** Wide limits and a cheap captcha. */
export const settings = { ...plenty, ...hurry }

/** For drills in real time: what may still be in flight at the gateway is given up after seconds, not half an hour. */
export const HASTE = { PAYMENT_DEADLINE_SECONDS: '2', PAYMENT_IN_FLIGHT_SECONDS: '7' }
export const inHaste = `deadline ${HASTE.PAYMENT_DEADLINE_SECONDS} s, in flight ${HASTE.PAYMENT_IN_FLIGHT_SECONDS} s`

/** Programs that start hundreds of times need not be compiled each time; one that ends politely leaves it behind. */
const compiled = (folder: string) => ({ NODE_COMPILE_CACHE: join(dirname(folder), 'compiled') })

/** The gateway loses one answer in ten: half of them before it has done what was asked, half after. */
export const LOSING: Rule[] = (['authorize', 'lookup', 'capture', 'void'] as const).flatMap((on) => [
  { on, fault: 'lost_before', share: 0.05 },
  { on, fault: 'lost_after', share: 0.05 / 0.95 },
])

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** The gateway as a process of its own. It can be killed, and comes back on its port with its ledger. */
export async function startSandbox({ folder }: Place, faults: Rule[] = []) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const start = async () => {
    const args = ['--port', String(port), '--ledger', join(folder, 'ledger.jsonl')]
    const program = runProgram('server/gateways/payment/sandbox/main.ts', args, compiled(folder))
    await answering(program, `${url}/faults`)
    return program
  }
  let program = await start()
  const setFaults = async (rules: Rule[]) => {
    const reply = await fetch(`${url}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    })
    if (!reply.ok) throw new Error(`The sandbox did not take the faults: ${await reply.text()}`)
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
    /** Its own books. */
    transactions: async (): Promise<Transaction[]> => {
      const reply = await fetch(`${url}/transactions?since=1970-01-01T00:00:00Z`)
      const { transactions } = (await reply.json()) as { transactions: Transaction[] }
      return transactions
    },
  }
}

export type Foyer = Awaited<ReturnType<typeof startFoyer>>
export type Starting = {
  place: Place
  sandbox: Pick<Sandbox, 'url'>
  port: number
  settings?: Record<string, string>
  /** Dressed from outside, by drill/fault-injection/server.ts. Without it: the program that an operator starts. */
  dressing?: Dressing
  /** The folder of another version; without it: this one. */
  version?: string
}

/** Foyer, always on the same port, so that its visitors find it again. */
export async function startFoyer({ place, sandbox, port, settings: own = {}, dressing, version = '' }: Starting) {
  const url = `http://127.0.0.1:${port}`
  const script = dressing
    ? ['drill/fault-injection/server.ts', JSON.stringify(dressing)]
    : [join(version, 'server/main.ts')]
  const env = {
    ...settings,
    ...place.settings,
    ...compiled(place.folder),
    PUBLIC_URL: url,
    ...own,
    PORT: String(port),
    PAYMENT_SANDBOX_URL: sandbox.url,
  }
  const program = runProgram(script[0] ?? '', script.slice(1), env)
  let isWanted = true
  program.child.stdin?.on('error', () => undefined) // it may have ended
  void program.ended.then(() => writeFileSync(join(place.folder, 'foyer.log'), program.said(), { flag: 'a' }))
  await answering(program, `${url}/readyz`)
  const hasEnded = () => program.child.exitCode !== null || program.child.signalCode !== null
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    isWanted &&= hasEnded()
    program.child.kill(signal)
    await program.ended
  }
  return {
    url,
    ended: program.ended,
    /** What it said last, when it has ended although nobody asked it to. */
    died: () => (isWanted && hasEnded() ? program.said().slice(-2000) : undefined),
    said: program.said,
    /** Turns the clock of a dressed server. */
    turn: (seconds: number) => program.child.stdin?.write(`ahead ${seconds}\n`),
    /** kill -9: nothing is finished, nothing is said. */
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Starts everything once and ends it politely. */
export async function warmUp(ground: Ground) {
  const place = await ground.fresh()
  const sandbox = await startSandbox(place)
  const foyer = await startFoyer({ place, sandbox, port: await freePort(), dressing: {} })
  await Promise.all([foyer.stop(), sandbox.stop()])
  await place.remove()
}
