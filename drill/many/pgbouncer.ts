import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/port.mjs'
import { startProgram } from './external-program.ts'

const CONFIGURATION = new URL('../../deploy/pgbouncer.ini', import.meta.url)
const PASSWORD = 'drilled'

/** PgBouncer with the operator's configuration file and other addresses. After a kill it restarts on the same port. */
export async function startPgBouncer(databaseUrl: string) {
  const database = new URL(databaseUrl)
  const port = await freePort()
  // PgBouncer does not run as root and could not read the drill's own folder.
  const folder = mkdtempSync(join(tmpdir(), 'foyer-pgbouncer-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const userFile = join(folder, 'userlist.txt')
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(userFile, `"${database.username}" "${PASSWORD}"\n`)
  writeFileSync(
    file,
    fillAddresses(readFileSync(CONFIGURATION, 'utf8'), {
      '*': `host=${database.hostname} port=${database.port}`,
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      auth_file: userFile,
    }),
  )
  const start = () => startProgram('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], port)
  let program = await start()
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port), password: PASSWORD }).href,
    kill: () => program.kill(),
    restart: async () => {
      program = await start()
    },
    stop: async () => {
      await program.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Replaces the lines that are marked as addresses, and no others. */
function fillAddresses(text: string, addresses: Record<string, string>): string {
  const remaining = new Map(Object.entries(addresses))
  const result = text.replaceAll(/^; \*\n(\S+) = .*$/gm, (_line, name: string) => {
    const address = remaining.get(name)
    if (!remaining.delete(name)) throw new Error(`pgbouncer.ini: no address for ${name}`)
    return `${name} = ${address}`
  })
  if (remaining.size) throw new Error(`pgbouncer.ini has no line marked as an address for ${[...remaining.keys()]}`)
  return result
}
