import { calls } from '#contract/api.ts'
import type { Ground, Part, Row, Scale } from '../drill.ts'
import { examples, inWords, isClean } from '../payments/audit.ts'
import { openSite } from '../site/site.ts'
import { gather } from '../visitor/crowd.ts'
import type { Answer, Caller } from '../visitor/http-client.ts'
import { newName } from '../visitor/visitor.ts'
import { laterVersion, scriptsIn } from './later-version.ts'
import { manyGround, PROCESSES } from './process-cluster.ts'
import { watch } from './request-monitor.ts'

const PAYING = 6
const SETTLE_SECONDS = 60
const EXAMPLES = 3

/** What those ask who do not pay, each again and again. */
const asked: ((caller: Caller) => Promise<Answer>)[] = [
  (caller) => caller.get('/ana'),
  (caller) => caller.call('GET', `${calls.getSponsor.path}?sponsor_site=ana`),
  (caller) => caller.call('POST', calls.validateUsername.path, { body: { username: newName() } }),
  (caller) => caller.call('POST', calls.validateEmail.path, { body: { email: `${newName()}@mail.example` } }),
]

/** A page and the scripts that it names, whichever process sends them. */
async function openPage(caller: Caller, missing: Set<string>) {
  const { body } = await caller.get('/ana')
  for (const [, script = ''] of String(body).matchAll(/(?:src|data-next)="(\/assets\/[^"]+\.js)"/g))
    if ((await caller.get(script)).status !== 200) missing.add(script)
}

/** Every process is replaced by a later version under load, one after another, and nobody notices. Unguarded, somebody does. */
export const rollingRestart: Part = async (drill, ground) => [
  await restart(drill, ground, true, PROCESSES * (drill.short ? 1 : 2)),
  await restart(drill, ground, false, 1),
]

async function restart(drill: Scale, ground: Ground, guarded: boolean, restarts: number): Promise<Row> {
  const behind = manyGround(ground, { guarded })
  const site = await openSite(behind, { faults: [] })
  const many = behind.many()
  const { through, count, failed } = watch()
  const caller = through(site.caller)
  const crowd = gather(caller, PAYING)
  let going = true
  const missing = new Set<string>()
  const reading = [...asked, (caller: Caller) => openPage(caller, missing)].map(async (ask) => {
    while (going) await ask(caller).catch(() => undefined)
  })
  const versions: string[] = []
  await crowd.heardSomething()
  for (let done = 1; done <= restarts; done++) {
    const round = Math.ceil(done / PROCESSES)
    versions[round - 1] ??= await laterVersion(site.place.folder, round)
    await many.renew((done - 1) % PROCESSES, versions[round - 1])
    drill.progress(
      ground.name,
      `many · rolling restart${guarded ? '' : ', unguarded'}: ${done} of ${restarts}, ${count.all} requests, ${failed.length} failed`,
    )
  }
  going = false
  await Promise.all(reading)
  for (const name of (await Promise.all([undefined, ...versions].map(scriptsIn))).flat())
    if ((await caller.get(`/assets/${name}`)).status !== 200) missing.add(name)
  await crowd.leave()
  const { findings, books, took } = await site.settle(crowd.heard, SETTLE_SECONDS)
  const retried = many.passed.filter(({ retries }) => retries !== '0').length
  const answering = new Set(many.passed.filter(({ status }) => status === 200).map(({ process }) => process)).size
  await site.close()
  if (guarded)
    for (const line of [...examples(findings), ...failed.slice(0, EXAMPLES).map(({ what }) => what)])
      drill.say(`  ${line}`)
  const done = `${restarts} ${restarts === 1 ? 'restart' : 'restarts one after another'}, with other scripts and new columns, under ${count.all} requests of ${reading.length} readers and ${PAYING} who pay: ${books.members.length} members`
  const found = `${failed.length} failed, ${missing.size} scripts missing, ${inWords(findings)}`
  const harmless = isClean(findings) && took !== undefined && books.members.length > 0
  return guarded
    ? {
        done,
        asked: '8.7 8.8 no request fails, no page lacks a script, all four have answered, no harm',
        found: `${found}; ${answering} processes answered, the proxy asked another one ${retried} times`,
        passed: !failed.length && !missing.size && answering === PROCESSES && harmless,
      }
    : {
        done: `control: ${done}, without readiness checks, redispatch and leave-taking`,
        asked: 'some requests fail, but no harm',
        found,
        passed: failed.length > 0 && harmless,
      }
}
