import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/port.mjs'
import { startProgram } from './external-program.ts'

const CONFIGURATION = new URL('../../deploy/pgbouncer.ini', import.meta.url)
const PASSWORD = 'drilled'

/** PgBouncer as an operator runs it: the same file, other addresses. It can be killed, and comes back at its port. */
export async function startPooler(databaseUrl: string) {
  const database = new URL(databaseUrl)
  const port = await freePort()
  // Not in the drill's own folder: PgBouncer does not run as root, and must read it.
  const folder = mkdtempSync(join(tmpdir(), 'foyer-pgbouncer-'))
  chmodSync(folder, 0o755)
  const names = join(folder, 'userlist.txt')
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(names, `"${database.username}" "${PASSWORD}"\n`)
  writeFileSync(
    file,
    filledIn(readFileSync(CONFIGURATION, 'utf8'), {
      '*': `host=${database.hostname} port=${database.port}`,
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      auth_file: names,
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

/** Every line that is marked as an address, and no other. */
function filledIn(text: string, addresses: Record<string, string>): string {
  const left = new Map(Object.entries(addresses))
  const filled = text.replaceAll(/^; \*\n(\S+) = .*$/gm, (_line, name: string) => {
    const address = left.get(name)
    if (!left.delete(name)) throw new Error(`pgbouncer.ini: nobody knows an address for ${name}`)
    return `${name} = ${address}`
  })
  if (left.size) throw new Error(`pgbouncer.ini has no line marked as an address for ${[...left.keys()]}`)
  return filled
}
