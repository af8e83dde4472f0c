import { join } from 'node:path'
import { API } from '#contract/api.ts'
import { readConfig } from '#server/config/config.ts'
import { flushFunnel } from '#server/funnel/funnel.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import { loadShell } from '#server/site/shell.ts'
import { solve } from '#server/test/solve-captcha.ts'

export type DemoSite = Awaited<ReturnType<typeof openSite>>

/** Visitors come faster than people do, so the limits are wide and the captcha is easy. Nothing is skipped. */
const settings = {
  LOG_LEVEL: 'fatal',
  CAPTCHA_COST: '1',
  CAPTCHA_COUNTER: '2',
  MINIMUM_SECONDS: '0',
  BREAKER_DECLINES: '100000/600/50',
  AUTOSHIP: 'on',
  SPECIAL: 'on',
  LIMIT_LOOKUPS: '100000/3600',
  LIMIT_CHALLENGES: '100000/3600',
}

/** The site with its clock a year back. Requests come in without a network. */
export async function openSite(folder: string, start: Date) {
  const config = readConfig({ ...process.env, ...settings, DATA_DIR: folder })
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL), now: () => start })
  const clock = world.testClock
  if (!clock) throw new Error('The demo needs a clock that can be turned.')
  const app = await createApp({ world, shell: await loadShell() })

  const send = async (method: 'GET' | 'POST', url: string, sending: Sending) => {
    const { network = '10.9.9.9', cookie = '', agent = agents.desktop, from = '/', body } = sending
    const reply = await app.inject({
      method,
      url,
      remoteAddress: network,
      headers: {
        host: new URL(config.PUBLIC_URL).host,
        referer: `${config.PUBLIC_URL}${from}`,
        'user-agent': agent,
        cookie,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { payload: body } : {}),
    })
    const cookies = [reply.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0])
    return { status: reply.statusCode, body: reply.body, cookie: cookies.join('; ') }
  }
  const post = (path: string, sending: Sending) => send('POST', `${API}${path}`, sending)
  return {
    world,
    clock,
    post,
    open: (path: string, sending: Sending = {}) => send('GET', path, sending),
    /** A call of the contract. What is refused is a mistake of the demo. */
    async call(path: string, sending: Sending) {
      const reply = await post(path, sending)
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.body}`)
      return { ...reply, json: JSON.parse(reply.body) }
    },
    captcha: async (network: string) =>
      solve(JSON.parse((await send('GET', `${API}/captcha/challenge`, { network })).body)),
    async close() {
      await flushFunnel(world)
      await app.close()
      await world.close()
    },
  }
}
export type Sending = {
  network?: string
  cookie?: string
  agent?: string
  /** The page that sends it. */
  from?: string
  body?: object
}

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'
export const agents = {
  desktop: `Mozilla/5.0 (X11; Linux x64) ${chrome} Safari/537.36`,
  phone: `Mozilla/5.0 (Linux; Android 15) ${chrome} Mobile Safari/537.36`,
}

/** Where the clock of a folder is kept. */
export const clockFile = (folder: string) => join(folder, 'clock.json')
