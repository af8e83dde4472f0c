import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './external-program.ts'

const CONFIGURATION = new URL('../../deploy/haproxy.cfg', import.meta.url)

/** A request as the proxy saw it end. */
type Passed = { process: string; method: string; status: number; retries: string; end: string }

type Starting = { folder: string; port: number; processes: number[]; guarded: boolean }

/** HAProxy as an operator runs it: the same file, other addresses. */
export async function startProxy({ folder, port, processes, guarded }: Starting) {
  const text = readFileSync(CONFIGURATION, 'utf8')
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, guarded ? text : unguarded(text))
  const addresses = processes.map((at, index) => [`FOYER_${index + 1}`, `127.0.0.1:${at}`])
  const env = { PROXY_BIND: `127.0.0.1:${port}`, ...Object.fromEntries(addresses) }
  const passed: Passed[] = []
  const hear = (line: string) => {
    if (!line.startsWith('{"process"')) return
    const { status, ...rest } = JSON.parse(line)
    passed.push({ ...rest, status: Number(status) })
  }
  const { stop } = await startProgram('haproxy', ['-W', '-db', '-f', file], port, env, hear)
  return { stop, passed }
}

/** For the control: nobody is asked whether they are ready, and nobody else is asked instead. */
const unguarded = (text: string): string =>
  text
    .replaceAll(/^ *(?:option (?:redispatch|httpchk)|http-check|retry-on|http-request disable-l7-retry).*\n/gm, '')
    .replace(/^ *default-server check.*\n/m, '')
    .replace('retries 3', 'retries 0')
