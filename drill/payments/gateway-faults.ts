import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground, Row, Scale } from '../drill.ts'
import { inHaste, LOSING, type Sandbox } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import { gather, goodCard } from '../visitor/crowd.ts'
import type { Caller } from '../visitor/http-client.ts'
import { examples, inWords, isClean, settledIn } from './audit.ts'

const LANES = 4
const SETTLE_SECONDS = 30
const LONGER_THAN_THE_DEADLINE_MS = 6000

type Fault = { begin: (sandbox: Sandbox) => Promise<void>; end: (sandbox: Sandbox) => Promise<void> }

const always = (fault: 'slow' | 'reset' | 'garbage' | 'error'): Fault => ({
  begin: (sandbox) => sandbox.setFaults([{ on: 'any', fault, share: 1, ms: LONGER_THAN_THE_DEADLINE_MS }]),
  end: (sandbox) => sandbox.setFaults(LOSING),
})

/** What a gateway may do to us. */
const faults: Record<string, Fault> = {
  down: {
    begin: (sandbox) => sandbox.kill(),
    end: async (sandbox) => {
      await sandbox.restart()
      await sandbox.setFaults(LOSING)
    },
  },
  slow: always('slow'),
  resetting: always('reset'),
  'answering garbage': always('garbage'),
  'failing with 500': always('error'),
}

/** The gateway fails: nobody is told "declined", the other pages do not notice, and all is settled when it is back. */
export async function gatewayFaults(drill: Scale, ground: Ground): Promise<Row[]> {
  const rows: Row[] = []
  const chosen = Object.entries(faults).filter(([name]) => !drill.short || name === 'down')
  const site = await openSite(ground)
  for (const [name, fault] of chosen) rows.push(await endure(drill, ground, site, name, fault))
  await site.close()
  return rows
}

async function endure(drill: Scale, ground: Ground, site: Site, name: string, fault: Fault): Promise<Row> {
  const { caller, sandbox } = site
  const tell = (words: string) => drill.progress(ground.name, `faults: gateway ${name}, ${words}`)
  const seconds = drill.short ? 3 : 8
  const crowd = gather(caller, LANES, goodCard)
  const told = () => crowd.heard.filter(({ pending }) => pending > 0).length
  tell('before')
  await sleep(1000)
  const before = await look(caller, seconds)
  tell('during')
  await fault.begin(sandbox)
  const toldBefore = told()
  const during = await look(caller, seconds)
  const pending = told() - toldBefore
  await fault.end(sandbox)
  tell('settling')
  await crowd.leave()
  const { findings, books, took } = await site.settle(crowd.heard, SETTLE_SECONDS)
  for (const line of examples(findings)) drill.say(line)
  await site.wake()

  const declined = crowd.heard.filter((visitor) => visitor.declined.length).length
  const most = Math.max(5 * before.p95, before.p95 + 250)
  const isUnharmed = during.failed === 0 && during.p95 <= most
  return {
    done: `gateway ${name} for ${seconds} s: ${books.attempts.length} attempts so far, ${pending} told to wait (${inHaste})`,
    asked: `8.4 ${during.asked} other requests answered, p95 ≤ ${Math.round(most)} ms; nobody told "declined"; settled ${SETTLE_SECONDS} s after`,
    found: `p95 ${Math.round(before.p95)} → ${Math.round(during.p95)} ms, ${during.failed} failed, ${declined} told "declined", ${inWords(findings)}, ${settledIn(took)}`,
    passed: isUnharmed && declined === 0 && pending > 0 && took !== undefined && isClean(findings),
  }
}

/** What the rest of the site does for those who are not paying. */
const pages: ((caller: Caller) => Promise<{ status: number }>)[] = [
  (caller) => caller.get('/ana'),
  (caller) => caller.call('GET', '/enrollment/enrollment_packages?product_category_id=17&language_id=1'),
  (caller) => caller.call('GET', '/enrollment/get_enrollment_sponsor?sponsor_site=ana'),
  (caller) => caller.call('POST', '/enrollment/validate_username', { body: { username: 'somebody' } }),
]

/** Asks for the other pages over and over, and tells how long the slowest twentieth took at least. */
async function look(caller: Caller, seconds: number) {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  let failed = 0
  await Promise.all(
    pages.map(async (ask) => {
      while (performance.now() < end) {
        const started = performance.now()
        const { status } = await ask(caller).catch(() => ({ status: 0 }))
        times.push(performance.now() - started)
        if (status !== 200) failed += 1
        await sleep(20)
      }
    }),
  )
  times.sort((a, b) => a - b)
  return { asked: times.length, failed, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
}
