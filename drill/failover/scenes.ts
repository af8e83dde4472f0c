import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseCluster, Node } from '../cluster/cluster.ts'

const STRAIN_MS = 30_000
/** Per commit. */
const SLOW_MS = 1000

export type Scene = {
  name: string
  rounds: { long: number; short: number }
  /** Another node becomes the primary. */
  moves: boolean
  /** Nobody may even be asked to wait. */
  smooth?: true
  strike: (cluster: DatabaseCluster, primary: Node) => Promise<unknown>
  /** Once there is a new primary. */
  mend?: (cluster: DatabaseCluster, primary: Node) => unknown
}

export const killBoth = async (cluster: DatabaseCluster, node: Node) => {
  await cluster.killPatroni(node)
  cluster.killPostmaster(node)
}
const strain = async (begin: () => unknown, end: () => unknown) => {
  await begin()
  await sleep(STRAIN_MS)
  await end()
}

export const scenes: Scene[] = [
  {
    name: 'kill -9 of the primary',
    rounds: { long: 14, short: 1 },
    moves: true,
    strike: async (cluster, primary) => cluster.killPostmaster(primary),
  },
  {
    name: 'kill -9 of its Patroni',
    rounds: { long: 7, short: 0 },
    moves: true,
    strike: (cluster, primary) => cluster.killPatroni(primary),
    mend: (cluster, primary) => cluster.startPatroni(primary),
  },
  {
    name: 'kill -9 of both',
    rounds: { long: 11, short: 0 },
    moves: true,
    strike: killBoth,
    mend: (cluster, primary) => cluster.startPatroni(primary),
  },
  {
    name: 'SIGSTOP of the primary, which comes back',
    rounds: { long: 8, short: 0 },
    moves: true,
    strike: async (cluster, primary) => cluster.freeze(primary),
    mend: (cluster, primary) => cluster.thaw(primary),
  },
  {
    name: 'planned switchover',
    rounds: { long: 10, short: 1 },
    moves: true,
    smooth: true,
    strike: (cluster) => cluster.switchover(),
  },
  {
    name: 'loss of etcd for 30 s',
    rounds: { long: 2, short: 0 },
    moves: false,
    strike: (cluster) => strain(cluster.stopEtcd, cluster.startEtcd),
  },
  {
    name: 'loss of the synchronous standby',
    rounds: { long: 3, short: 0 },
    moves: false,
    strike: async (cluster) => {
      const standby = await cluster.syncStandby()
      await strain(
        () => killBoth(cluster, standby),
        () => cluster.startPatroni(standby),
      )
    },
  },
  {
    name: 'replication slower by 1 s for 30 s',
    rounds: { long: 2, short: 0 },
    moves: false,
    strike: (cluster) =>
      strain(
        () => cluster.delayReplication(SLOW_MS),
        () => cluster.delayReplication(0),
      ),
  },
  {
    name: 'replication delayed by 30 s',
    rounds: { long: 2, short: 0 },
    moves: false,
    strike: (cluster) => strain(cluster.holdReplication, cluster.releaseReplication),
  },
]
