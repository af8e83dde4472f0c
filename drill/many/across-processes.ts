import { doubleUseOn } from '../abuse/double-use.ts'
import { countVisitors, forgedAddressHeaders, sendLookups, summarizeStatuses } from '../abuse/forged-headers.ts'
import type { Drill, ReportRow } from '../drill.ts'
import { enrollOtherMembers } from '../office/fixture.ts'
import { oneTimeLinks } from '../office/one-time-links.ts'
import type { Backend } from '../site/backends.ts'
import { openSite, type Site } from '../site/site.ts'
import { openClusterClient } from './cluster-client.ts'
import { type Cluster, clusterBackend } from './process-cluster.ts'

const DESCRIPTION = 'four processes behind the proxy'

/** Uses one-time things on four processes at the same time. */
export const doubleUseAcrossProcesses: Drill = (run, backend) =>
  // The drill reads the code in the outbox, which production does not have.
  withCluster(backend, { NODE_ENV: 'development' }, async (site, cluster) => {
    const client = await openClusterClient(cluster, site.workspace)
    const fixture = {
      site: client,
      sites: [client],
      otherMembers: await enrollOtherMembers(client),
      description: DESCRIPTION,
    }
    const rows = [
      ...(await doubleUseOn(run, backend, fixture.sites, DESCRIPTION)),
      ...(await oneTimeLinks(run, backend, fixture)),
    ]
    await client.close()
    return rows
  })

const SIZE = { requests: 400, sockets: 20 }
const MAX_PER_HOUR = 300
/** Not the proxy's own address, because Foyer trusts its headers. */
const addresses = ['127.0.0.7', '127.0.0.8']

/** Two clients whose headers name a different visitor each time. They count as two, whichever process answers. */
export const forgedHeadersAcrossProcesses: Drill = (run, backend) =>
  withCluster(backend, { LIMIT_LOOKUPS: `${MAX_PER_HOUR}/3600` }, async (site, cluster): Promise<ReportRow[]> => {
    const allStatuses = await Promise.all(
      addresses.map((localAddress) =>
        sendLookups(cluster.url, forgedAddressHeaders, { ...SIZE, localAddress }, (count) =>
          run.showProgress(backend.name, `many · forged headers: ${count} of ${SIZE.requests}`),
        ),
      ),
    )
    const database = await site.workspace.open()
    const visitors = await countVisitors(database.db).finally(database.close)
    const isLimited = (statuses: Map<number, number>) =>
      statuses.get(200) === MAX_PER_HOUR && statuses.get(429) === SIZE.requests - MAX_PER_HOUR
    return [
      {
        action: `${SIZE.requests} lookups with forged headers from each of ${addresses.length} addresses, ${DESCRIPTION}`,
        expected: `counted as ${addresses.length} visitors, with ${MAX_PER_HOUR} lookups an hour each`,
        result: `${visitors} visitors; answers: ${allStatuses.map(summarizeStatuses).join(' and ')}`,
        passed: visitors === addresses.length && allStatuses.every(isLimited),
      },
    ]
  })

async function withCluster<Result>(
  backend: Backend,
  settings: Record<string, string>,
  work: (site: Site, cluster: Cluster) => Promise<Result>,
) {
  const clustered = clusterBackend(backend, { settings })
  const site = await openSite(clustered, { faults: [], settings: {} })
  return work(site, clustered.cluster()).finally(site.close)
}
