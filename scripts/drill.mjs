// npm run drill: breaks Foyer on purpose and checks the damage. `-- NAME …`, `-- --short`, `-- --only postgres|embedded`, `-- --keep`.
import { existsSync } from 'node:fs'
import { run } from './child.mjs'
import { fetchPackages } from './debian.mjs'
import { missingForFailover } from './drills.mjs'
import { findChromium } from './find.mjs'
import { findPostgres } from './postgres.mjs'
import { buildWeb, prepare } from './prepare.mjs'

const { node } = await prepare({ forDevelopment: true })
if (process.argv.includes('many')) await fetchPackages(packagesForMany())
if (process.argv.includes('failover')) await fetchPackages(missingForFailover())
const code = await buildWeb({ node })
process.exit(code || (await run(node, ['drill/main.ts', ...process.argv.slice(2)])))

function packagesForMany() {
  const browser = findChromium({ headlessShell: true }) ? [] : ['chromium-headless-shell']
  const database = findPostgres() ? [] : ['postgresql']
  return [...database, ...browser, ...['haproxy', 'pgbouncer'].filter((name) => !existsSync(`/usr/sbin/${name}`))]
}
