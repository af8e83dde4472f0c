import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSecret, settings as settingRules } from '#server/config/settings.ts'
import { OperatorError } from '#server/operator-error.ts'
import { startVendors } from '#server/test/vendors.ts'
import { freePort } from '../../scripts/port.mjs'
import { findPostgres, startPostgres } from '../../scripts/postgres.mjs'
import { startMailbox } from './mailbox.ts'

export type Rehearsal = Awaited<ReturnType<typeof startRehearsal>>

const PROCESSES = 2

/**
 * A site as in production: PostgreSQL, strict settings, secrets in files, two processes, and emulators of the vendors. All of it
 * is in one folder, which is deleted at the end.
 */
export async function startRehearsal({ data, port }: { data: string; port?: number }) {
  if (!findPostgres()) throw new OperatorError('A rehearsal needs PostgreSQL on this machine: apt install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'foyer-rehearsal-'))
  const postgres = await startPostgres()
  const vendors = await startVendors(() => new Date())
  const mailbox = await startMailbox(join(folder, 'emails'))
  const ports = [port ?? (await freePort()), await freePort()].slice(0, PROCESSES)
  const env = productionSettings(folder, {
    ...vendors.settings,
    MAIL: mailbox.url,
    DATABASE_URL: postgres.url,
    PUBLIC_URL: `http://localhost:${ports[0]}`,
  })
  const command = (program: string, ...args: string[]) => runCommand([program, ...args], env)
  const children: ChildProcess[] = []
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const stop = async () => {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
    await Promise.all([vendors.close(), mailbox.close()])
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await command('server/cli/db.ts', 'load', data)
    for (const port of ports) children.push(startProcess(port, env, join(folder, `foyer-${port}.log`)))
    await Promise.all(ports.map((port, index) => untilReady(port, children[index], join(folder, `foyer-${port}.log`))))
  } catch (error) {
    await stop()
    throw error
  }
  const urls = ports.map((port) => `http://localhost:${port}`)
  return {
    folder,
    urls,
    command,
    codes: vendors.codes.sent,
    payments: vendors.payments.entries,
    emails: mailbox.emails,
    stop,
  }
}

/** Your own settings count, such as AUTOSHIP=on, except for those that the rehearsal is made of. Secrets come from files. */
function productionSettings(folder: string, own: Record<string, string>) {
  const inherited = Object.entries(process.env).filter(([name]) => name in settingRules && !isSecret(name))
  mkdirSync(join(folder, 'secrets'), { mode: 0o700 })
  const secret = (name: string, value: string) => {
    const file = join(folder, 'secrets', name)
    writeFileSync(file, value, { mode: 0o600 })
    return file
  }
  const { DATABASE_URL = '', ...others } = own
  const { PATH = '', HOME = '' } = process.env
  return {
    OPERATOR_NAME: 'Rehearsal LLC',
    OPERATOR_ADDRESS: '500 Sample Street, Reno, NV 89501',
    SUPPORT_CONTACT: 'help@rehearsal.example',
    REFUND_TEXT: 'This is a rehearsal. Nothing is charged.',
    MAIL_FROM: 'Rehearsal <hello@rehearsal.example>',
    ...Object.fromEntries(inherited),
    ...others,
    PATH,
    HOME,
    NODE_ENV: 'production',
    DATA_DIR: join(folder, 'data'),
    SECRET_FILE: secret('secret', randomBytes(32).toString('base64url')),
    DATABASE_URL_FILE: secret('database_url', DATABASE_URL),
  }
}

function startProcess(port: number, env: Record<string, string>, log: string) {
  const output = openSync(log, 'a')
  return spawn(process.execPath, ['server/main.mjs'], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', output, output],
  })
}

async function untilReady(port: number, child: ChildProcess | undefined, log: string) {
  for (;;) {
    if (child?.exitCode !== null) throw new OperatorError(`The site did not start:\n${readFileSync(log, 'utf8')}`)
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (reply?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Runs one of the operator's commands with the settings of the site. Throws what it printed if it fails. */
async function runCommand(args: string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, args, { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const [code] = await once(child, 'close')
  if (code) throw new OperatorError(output.trim())
  return output.trim()
}
