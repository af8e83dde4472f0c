import { calls } from '#contract/api.ts'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { examples, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { openSite } from '../site/site.ts'
import { startCrowd } from '../visitor/crowd.ts'
import type { HttpClient, HttpResponse } from '../visitor/http-client.ts'
import { uniqueUsername } from '../visitor/visitor.ts'
import { createLaterVersion, scriptsIn } from './later-version.ts'
import { clusterBackend, PROCESSES } from './process-cluster.ts'
import { monitorRequests } from './request-monitor.ts'

const PAYING_VISITORS = 6
const SETTLE_SECONDS = 60
const MAX_EXAMPLES = 3

/** Requests that other visitors repeat all the time. */
const readerRequests: ((client: HttpClient) => Promise<HttpResponse>)[] = [
  (client) => client.get('/ana'),
  (client) => client.call('GET', `${calls.getSponsor.path}?sponsor_site=ana`),
  (client) => client.call('POST', calls.validateUsername.path, { body: { username: uniqueUsername() } }),
  (client) => client.call('POST', calls.validateEmail.path, { body: { email: `${uniqueUsername()}@mail.example` } }),
]

/** Opens a page and its scripts, whichever process serves them. */
async function openPage(client: HttpClient, missing: Set<string>) {
  const { body } = await client.get('/ana')
  for (const [, script = ''] of String(body).matchAll(/(?:src|data-next)="(\/assets\/[^"]+\.js)"/g))
    if ((await client.get(script)).status !== 200) missing.add(script)
}

/** Replaces one process after another by a later version under load. No request fails, except in the control. */
export const rollingRestart: Drill = async (run, backend) => [
  await restart(run, backend, true, PROCESSES * (run.short ? 1 : 2)),
  await restart(run, backend, false, 1),
]

async function restart(run: DrillRun, backend: Backend, guarded: boolean, restarts: number): Promise<ReportRow> {
  const clustered = clusterBackend(backend, { guarded })
  const site = await openSite(clustered, { faults: [] })
  const cluster = clustered.cluster()
  const { wrapClient, counts, failures } = monitorRequests()
  const client = wrapClient(site.client)
  const crowd = startCrowd(client, PAYING_VISITORS)
  let isOpen = true
  const missingScripts = new Set<string>()
  const readers = [...readerRequests, (client: HttpClient) => openPage(client, missingScripts)].map(async (send) => {
    while (isOpen) await send(client).catch(() => undefined)
  })
  const versions: string[] = []
  await crowd.nextAnswer()
  for (let count = 1; count <= restarts; count++) {
    const round = Math.ceil(count / PROCESSES)
    versions[round - 1] ??= await createLaterVersion(site.workspace.folder, round)
    await cluster.replace((count - 1) % PROCESSES, versions[round - 1])
    run.showProgress(
      backend.name,
      `many · rolling restart${guarded ? '' : ', unguarded'}: ${count} of ${restarts}, ${counts.all} requests, ${failures.length} failed`,
    )
  }
  isOpen = false
  await Promise.all(readers)
  for (const name of (await Promise.all([undefined, ...versions].map(scriptsIn))).flat())
    if ((await client.get(`/assets/${name}`)).status !== 200) missingScripts.add(name)
  await crowd.leave()
  const { findings, state, settledAfter } = await site.settle(crowd.records, SETTLE_SECONDS)
  const retries = cluster.requests.filter(({ retries }) => retries !== '0').length
  const processesUsed = new Set(cluster.requests.filter(({ status }) => status === 200).map(({ process }) => process))
    .size
  await site.close()
  if (guarded)
    for (const line of [
      ...examples(findings),
      ...failures.slice(0, MAX_EXAMPLES).map(({ description }) => description),
    ])
      run.print(`  ${line}`)
  const action = `${restarts} ${restarts === 1 ? 'restart' : 'restarts one after another'}, with other scripts and new columns, under ${counts.all} requests of ${readers.length} readers and ${PAYING_VISITORS} paying visitors: ${state.members.length} members`
  const result = `${failures.length} requests failed, ${missingScripts.size} scripts missing, ${summarize(findings)}`
  const isHarmless = isClean(findings) && settledAfter !== undefined && state.members.length > 0
  return guarded
    ? {
        action,
        expected: '8.7 8.8 no request fails, no script is missing, all four processes answer, no harm',
        result: `${result}; ${processesUsed} processes answered, the proxy retried ${retries} times`,
        passed: !failures.length && !missingScripts.size && processesUsed === PROCESSES && isHarmless,
      }
    : {
        action: `control: ${action}, without readiness checks, retries and draining`,
        expected: 'some requests fail, but no harm',
        result,
        passed: failures.length > 0 && isHarmless,
      }
}
