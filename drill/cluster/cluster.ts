import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findCommand } from '../../scripts/find.mjs'
import { freePort } from '../../scripts/port.mjs'
import { findPostgres } from '../../scripts/postgres.mjs'
import { openLink } from './link.ts'

const deploy = new URL('../../deploy/', import.meta.url).pathname
const NODES = 3
const PASSWORD = 'drilled'
const START_MS = 180_000
const POLL_MS = 50

type Output = number
type Owner = { uid: number; gid: number } | Record<string, never>

const passwordFiles = ['PATRONI_SUPERUSER_PASSWORD_FILE', 'PATRONI_REPLICATION_PASSWORD_FILE', 'FOYER_PASSWORD_FILE']

/** Debian installs daemons in a folder that is not on every PATH. */
const commandPath = (name: string): string => findCommand(name) ?? `/usr/sbin/${name}`
export type DatabaseCluster = Awaited<ReturnType<typeof startDatabaseCluster>>
export type Node = { name: string; port: number; restPort: number; folder: string; patroni: ChildProcess }

/**
 * Three PostgreSQL nodes under Patroni with synchronous replication, one etcd, and HAProxy in front, with the configuration
 * of deploy/cluster. Nodes reach each other through links that can be slow or cut. However the drill ends, nothing stays behind.
 */
export async function startDatabaseCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-cluster-'))
  chmodSync(folder, 0o755)
  const guard = spawn('sh', [join(import.meta.dirname, 'guard.sh'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const owner = ownerOf('postgres')
  const log = openSync(join(folder, 'log'), 'a')

  const etcdPort = await freePort()
  const startEtcd = async () => {
    const env = {
      ...readEnvironment('etcd.env'),
      ETCD_NAME: 'etcd-1',
      ETCD_DATA_DIR: join(folder, 'etcd'),
      ...etcdAddresses(etcdPort, etcdPeerPort),
    }
    const child = startIn(folder, 'etcd', [], env, log)
    await waitFor('etcd', async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).ok)
    return child
  }
  const etcdPeerPort = await freePort()
  let etcd = await startEtcd()

  const startPatroni = (node: Omit<Node, 'patroni'>, linkPort: number) => {
    const env = {
      ...readEnvironment('node.env'),
      PATRONI_NAME: node.name,
      PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${node.restPort}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${node.restPort}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${node.port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${linkPort}`,
      PATRONI_POSTGRESQL_DATA_DIR: join(node.folder, 'data'),
      PATRONI_POSTGRESQL_BIN_DIR: findPostgres() ?? '',
      PATRONI_POSTGRESQL_PGPASS: join(node.folder, 'pgpass'),
      ...Object.fromEntries(passwordFiles.map((name) => [name, join(node.folder, 'password')])),
    }
    const files = ['node.sh', 'patroni.yaml'].map((name) => join(deploy, 'cluster', name))
    return startIn(node.folder, 'sh', files, env, log, owner)
  }
  const nodes: Node[] = []
  const linkPorts: number[] = []
  const links: Awaited<ReturnType<typeof openLink>>[] = []
  for (let index = 0; index < NODES; index++) {
    const node = {
      name: `postgres-${index + 1}`,
      port: await freePort(),
      restPort: await freePort(),
      folder: join(folder, `postgres-${index + 1}`),
    }
    mkdirSync(node.folder)
    copyFileSync(join(deploy, 'make-role.sh'), join(node.folder, 'make-role.sh'))
    writeFileSync(join(node.folder, 'password'), PASSWORD)
    if ('uid' in owner) execFileSync('chown', ['-R', 'postgres', node.folder])
    linkPorts[index] = await freePort()
    links[index] = await openLink(linkPorts[index] ?? 0, node.port)
    nodes.push({ ...node, patroni: startPatroni(node, linkPorts[index] ?? 0) })
  }

  const proxyPort = await freePort()
  const addresses = nodes.flatMap(({ port, restPort }, index) => [
    [`POSTGRES_${index + 1}`, `127.0.0.1:${port}`],
    [`PATRONI_${index + 1}`, String(restPort)],
  ])
  const replicaPort = await freePort()
  const binds = { PRIMARY_BIND: `127.0.0.1:${proxyPort}`, REPLICA_BIND: `127.0.0.1:${replicaPort}` }
  startIn(
    folder,
    'haproxy',
    ['-db', '-f', join(deploy, 'cluster/haproxy.cfg')],
    { ...binds, ...Object.fromEntries(addresses) },
    log,
  )

  const isRole = (node: Node, role: 'primary' | 'sync') =>
    fetch(`http://127.0.0.1:${node.restPort}/${role}`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  const nodesWith = async (role: 'primary' | 'sync') => {
    const has = await Promise.all(nodes.map((node) => isRole(node, role)))
    return nodes.filter((_, index) => has[index])
  }
  /** Asks one node after another, so that an old primary that hangs delays nothing. */
  const primary = async (except?: Node): Promise<Node> => {
    const candidates = nodes.filter((node) => node !== except)
    return waitFor('a primary', async () => {
      const has = await Promise.all(candidates.map((node) => isRole(node, 'primary')))
      return candidates[has.indexOf(true)]
    })
  }
  const client = async (port: number, database = 'postgres') => {
    const opened = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: PASSWORD, database })
    opened.on('error', () => undefined)
    await opened.connect()
    return opened
  }
  const query = async (port: number, text: string, database?: string) => {
    const opened = await client(port, database)
    return opened.query(text).finally(() => opened.end())
  }
  let isSynchronous = true
  const configure = async (changes: { synchronous_mode?: boolean; [name: string]: unknown }) => {
    isSynchronous = changes.synchronous_mode ?? isSynchronous
    const { restPort } = await primary()
    const reply = await fetch(`http://127.0.0.1:${restPort}/config`, { method: 'PATCH', body: JSON.stringify(changes) })
    if (!reply.ok) throw new Error(`Patroni refused the configuration: ${await reply.text()}`)
  }
  const isWhole = async () => {
    const [leader] = await nodesWith('primary')
    if (!leader || (isSynchronous && !(await nodesWith('sync')).length)) return false
    const { rowCount } = await query(leader.port, `select from pg_stat_replication where state = 'streaming'`)
    return rowCount === NODES - 1
  }
  const cluster = {
    folder,
    nodes,
    primary,
    configure,
    query,
    urlOf: (database: string) => `postgres://foyer:${PASSWORD}@127.0.0.1:${proxyPort}/${database}`,
    /** Of a standby. */
    replicaUrlOf: (database: string) => `postgres://foyer:${PASSWORD}@127.0.0.1:${replicaPort}/${database}`,
    /** Without the proxy. */
    urlOfHosts: (database: string) =>
      `postgres://foyer:${PASSWORD}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`,
    /** All nodes stream from the primary, one of them synchronously. */
    whole: () => waitFor('all nodes', () => isWhole().catch(() => false)),
    /** Once the nodes have heard of it. */
    synchronous: (isOn: boolean) =>
      waitFor(`synchronous replication ${isOn ? 'on' : 'off'}`, async () => {
        const { port } = await primary()
        const { rows } = await query(port, 'show synchronous_standby_names')
        return Boolean(rows[0]?.synchronous_standby_names) === isOn
      }),
    standbys: async () => {
      const leader = await primary()
      return nodes.filter((node) => node !== leader)
    },
    syncStandby: () => waitFor('a synchronous standby', async () => (await nodesWith('sync'))[0]),
    killPostmaster: (node: Node) => process.kill(postmasterOf(node), 'SIGKILL'),
    killPatroni: async (node: Node) => {
      node.patroni.kill('SIGKILL')
      if (node.patroni.exitCode === null && node.patroni.signalCode === null) await once(node.patroni, 'exit')
    },
    startPatroni: (node: Node) => {
      if (node.patroni.exitCode === null && node.patroni.signalCode === null) return
      node.patroni = startPatroni(node, linkPorts[nodes.indexOf(node)] ?? 0)
    },
    /** Patroni, the postmaster and all its backends. */
    freeze: (node: Node) => signalAll(node, 'SIGSTOP'),
    thaw: (node: Node) => signalAll(node, 'SIGCONT'),
    switchover: async () => {
      const leader = await primary()
      const candidate = await cluster.syncStandby()
      const reply = await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate: candidate.name }),
      })
      if (!reply.ok) throw new Error(`Patroni refused the switchover: ${await reply.text()}`)
      return candidate
    },
    stopEtcd: async () => {
      etcd.kill('SIGKILL')
      await once(etcd, 'exit')
    },
    startEtcd: async () => {
      etcd = await startEtcd()
    },
    delayReplication: (milliseconds: number) => {
      for (const link of links) link.delay(milliseconds)
    },
    holdReplication: () => {
      for (const link of links) link.hold()
    },
    releaseReplication: () => {
      for (const link of links) link.release()
    },
    cutReplication: () => {
      for (const link of links) link.cut()
    },
    restoreReplication: () => {
      for (const link of links) link.restore()
    },
    output: () => readFileSync(join(folder, 'log'), 'utf8'),
    stop: async () => {
      for (const link of links) link.close()
      guard.stdin.end()
      await once(guard, 'exit')
    },
  }
  await cluster.whole()
  await configure({ postgresql: { parameters: { fsync: 'off', max_wal_size: '256MB', wal_keep_size: '512MB' } } })
  return cluster
}

const etcdAddresses = (port: number, peerPort: number) => ({
  ETCD_LISTEN_CLIENT_URLS: `http://127.0.0.1:${port}`,
  ETCD_ADVERTISE_CLIENT_URLS: `http://127.0.0.1:${port}`,
  ETCD_LISTEN_PEER_URLS: `http://127.0.0.1:${peerPort}`,
  ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://127.0.0.1:${peerPort}`,
  ETCD_INITIAL_CLUSTER: `etcd-1=http://127.0.0.1:${peerPort}`,
})

function readEnvironment(name: string): Record<string, string> {
  const lines = readFileSync(join(deploy, 'cluster', name), 'utf8').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value]))
}

/** PostgreSQL refuses to run as root. */
function ownerOf(user: string): Owner {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** The guard knows by the folder which processes are the drill's. */
function startIn(
  cwd: string,
  program: string,
  args: string[],
  env: Record<string, string>,
  log: Output,
  owner: Owner = {},
): ChildProcess {
  const { PATH = '' } = process.env
  return spawn(commandPath(program), args, {
    cwd,
    env: { PATH, HOME: cwd, ...env },
    stdio: ['ignore', log, log],
    ...owner,
  })
}

const postmasterOf = ({ folder }: Node): number =>
  Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10)

function signalAll(node: Node, signal: NodeJS.Signals) {
  const postmaster = postmasterOf(node)
  const backends = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' })
  const pids = [node.patroni.pid ?? 0, postmaster, ...backends.trim().split(/\s+/).map(Number)]
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {} // a backend that has ended
}

/** Calls it until it returns something. */
async function waitFor<Result>(what: string, find: () => Promise<Result | undefined | false>): Promise<Result> {
  for (const end = performance.now() + START_MS; performance.now() < end; await sleep(POLL_MS)) {
    const found = await find().catch(() => undefined)
    if (found) return found
  }
  throw new Error(`There is no sign of ${what}.`)
}
