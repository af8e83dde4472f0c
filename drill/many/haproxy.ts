import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './external-program.ts'

const CONFIGURATION = new URL('../../deploy/haproxy.cfg', import.meta.url)

/** A request as logged by the proxy. */
type LoggedRequest = { process: string; method: string; status: number; retries: string; end: string }

type ProxyOptions = { folder: string; port: number; processes: number[]; guarded: boolean }

/** HAProxy with the operator's configuration file and other addresses. */
export async function startHaproxy({ folder, port, processes, guarded }: ProxyOptions) {
  const text = readFileSync(CONFIGURATION, 'utf8')
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, guarded ? text : withoutGuards(text))
  const addresses = processes.map((port, index) => [`FOYER_${index + 1}`, `127.0.0.1:${port}`])
  const binds = { PROXY_BIND: `127.0.0.1:${port}`, PROXY_HEALTH_BIND: `unix@${join(folder, 'proxy-health.sock')}` }
  const env = { ...binds, ...Object.fromEntries(addresses) }
  const requests: LoggedRequest[] = []
  const onLine = (line: string) => {
    if (!line.startsWith('{"process"')) return
    const { status, ...rest } = JSON.parse(line)
    requests.push({ ...rest, status: Number(status) })
  }
  const { stop } = await startProgram('haproxy', ['-W', '-db', '-f', file], port, env, onLine)
  return { stop, requests }
}

/** For the control: no readiness checks and no retries. */
const withoutGuards = (text: string): string =>
  text
    .replaceAll(/^ *(?:option (?:redispatch|httpchk)|http-check|retry-on|http-request disable-l7-retry).*\n/gm, '')
    .replace(/^ *default-server check.*\n/m, '')
    .replace('retries 3', 'retries 0')
