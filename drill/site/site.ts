import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#server/db/db.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Ground } from '../drill.ts'
import type { Dressing } from '../fault-injection/server.ts'
import { audit, type Verdict } from '../payments/audit.ts'
import { type Caller, createCaller } from '../visitor/http-client.ts'
import { callsOf, type Heard } from '../visitor/visitor.ts'
import { HASTE, LOSING, type Sandbox, startFoyer, startSandbox } from './processes.ts'

type Opening = {
  sockets?: number
  dressing?: Dressing
  faults?: typeof LOSING
  settings?: Record<string, string>
}

export type Site = Awaited<ReturnType<typeof openSite>>

/** A database, a gateway in its own process that loses one answer in ten, and Foyer on them. */
export async function openSite(ground: Ground, opening: Opening = {}) {
  const { sockets, faults = LOSING, settings = HASTE } = opening
  const place = await ground.fresh()
  const sandbox = await startSandbox(place, faults)
  const port = await freePort()
  let { dressing } = opening
  const begin = ground.start ?? startFoyer
  const start = () => begin({ place, sandbox, port, settings, ...(dressing ? { dressing } : {}) })
  let foyer = await start()
  const caller = createCaller(foyer.url, sockets)
  const everybody: Heard[] = []
  const deaths: string[] = []
  const note = () => {
    const words = foyer.died()
    if (words !== undefined && !dressing?.point && !deaths.includes(words)) deaths.push(words)
  }
  /** Nobody may look into an embedded database while Foyer runs on it. */
  let isResting = false
  const rest = async () => {
    if (ground.name !== 'embedded' || isResting) return
    note()
    await foyer.stop()
    isResting = true
  }
  const wake = async () => {
    if (!isResting) return
    foyer = await start()
    isResting = false
  }

  return {
    place,
    sandbox,
    caller,
    foyer: () => foyer,
    /** Turns the clock on, also for the next start. */
    turn: (seconds: number) => {
      dressing = { ...dressing, ahead: (dressing?.ahead ?? 0) + seconds }
      foyer.turn(seconds)
    },
    /** kill -9, and a new start; in other clothes if there are some. */
    crash: async (next: Dressing | undefined = dressing) => {
      note()
      await foyer.kill()
      dressing = next
      foyer = await start()
    },
    /**
     * Waits until nothing is under way any more, judges, and tells the seconds it took: none when it took too long.
     * Foyer may rest afterwards, until it is woken.
     */
    settle: async (heard: Heard[], mostSeconds: number): Promise<Verdict & { took: number | undefined }> => {
      everybody.push(...heard)
      const started = performance.now()
      const seconds = () => (performance.now() - started) / 1000
      for (;;) {
        await wake()
        const isQuiet = await quiet(caller, sandbox, heard, mostSeconds - seconds())
        const took = seconds()
        note()
        await rest()
        const verdict = await audit(place, sandbox, everybody, deaths)
        const isSettled = isQuiet && verdict.findings.open.length === 0
        if (isSettled || seconds() > mostSeconds) return { ...verdict, took: isSettled ? took : undefined }
        await sleep(1000)
      }
    },
    /** Tampers with the database. */
    within: async (work: (db: Db) => Promise<unknown>) => {
      await rest()
      const database = await place.open()
      await work(database.db).finally(database.close)
      await wake()
    },
    wake,
    close: async () => {
      note()
      caller.close()
      await foyer.kill()
      await sandbox.kill()
      await place.remove()
    },
  }
}

/** What can be seen from outside: nobody is told to wait, and the gateway holds nothing. False: it took too long. */
async function quiet(caller: Caller, sandbox: Sandbox, heard: Heard[], mostSeconds: number): Promise<boolean> {
  const end = performance.now() + mostSeconds * 1000
  let waiting = heard.filter(({ pressed }) => pressed)
  for (; ; await sleep(250)) {
    const still = await Promise.all(waiting.map((visitor) => isRunning(caller, visitor)))
    waiting = waiting.filter((_, index) => still[index])
    const held = (await sandbox.transactions()).filter(({ state }) => state === 'held').length
    if (!waiting.length && !held) return true
    if (performance.now() > end) return false
  }
}

const isRunning = (caller: Caller, visitor: Heard) =>
  callsOf(caller, visitor)
    .getStatus({}, { key: `${visitor.enrollment_id}.1` })
    .then(
      ({ state }) => state === 'running',
      () => true,
    )
