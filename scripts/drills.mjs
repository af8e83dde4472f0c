import { existsSync } from 'node:fs'
import { findCommand } from './find.mjs'
import { findPostgres } from './postgres.mjs'

/** The drills that npm test runs, in their short form. The others are run by hand. */
export const testedDrills = [
  'duplicates',
  'race',
  'kill',
  'search',
  'renewals',
  'abuse',
  'provider',
  'feed',
  'import',
  'commission',
]

/** Debian's packages with the programs of a cluster that fails over, as far as they are missing. */
export function missingForFailover() {
  const programs = { patroni: 'patroni', 'etcd-server': 'etcd', haproxy: 'haproxy', pgbouncer: 'pgbouncer' }
  const isThere = (program) => findCommand(program) || existsSync(`/usr/sbin/${program}`)
  const missing = Object.keys(programs).filter((name) => !isThere(programs[name]))
  return findPostgres() ? missing : ['postgresql', ...missing]
}
