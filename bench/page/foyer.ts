import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/port.mjs'
import { findPostgres, startPostgres } from '../../scripts/postgres.mjs'
import { TEST_SECRET } from '../../server/test/generous-settings.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** Foyer as in production, with the sample data, on PostgreSQL if it is installed. */
export async function startFoyer(): Promise<ServerProcess> {
  const postgres = findPostgres() ? await startPostgres() : undefined
  const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const port = await freePort()
  const env = {
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    SECRET: TEST_SECRET,
    ALLOW_EMBEDDED: 'database,payment,phone,mail',
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    ...(postgres ? { DATABASE_URL: postgres.url } : {}),
  }
  const { PATH = '', HOME = '' } = process.env
  execFileSync(process.execPath, ['server/cli/db.ts', 'load', 'server/cli/samples'], {
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const server = await startServer({ args: ['server/main.mjs'], port, path: '/readyz', env })
  const stop = async () => {
    await server.stop()
    postgres?.stop()
    process.off('exit', removeFolder)
    removeFolder()
  }
  return { url: server.url, stop }
}
