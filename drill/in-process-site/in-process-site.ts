import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import { API } from '#contract/api.ts'
import { readConfig } from '#server/config/config.ts'
import { createApp } from '#server/http/app.ts'
import { loadShell } from '#server/http/shell.ts'
import { createLog } from '#server/log.ts'
import { createWorld, type World } from '#server/world.ts'
import type { Ground, Place, Scale } from '../drill.ts'

/** The captcha costs next to nothing, so that a drill is not a proof of work. All else is what an operator gets. */
const settings = { LOG_LEVEL: 'error', PUBLIC_URL: 'http://foyer.test', CAPTCHA_COST: '1', CAPTCHA_COUNTER: '2' }

type Gateways = Pick<World, 'payment' | 'sms'>
type Opening = {
  now: () => Date
  settings?: Record<string, string>
  /** Put around the gateways, to count what reaches them. */
  dress?: (made: Gateways) => Partial<Gateways>
  /** Hears what is logged. */
  hear?: (line: string) => void
}

export type House = Awaited<ReturnType<typeof openHouse>>
export type Reply = Pick<Awaited<ReturnType<House['ask']>>, 'statusCode' | 'headers' | 'body' | 'json'>
/** What most drills need of a house; it may also stand behind a proxy. */
export type Door = {
  world: World
  get: (url: string, from: From) => Promise<Reply>
  post: (path: string, payload: object, from: From) => Promise<Reply>
}
export type From = { address: string; cookie?: string | undefined; key?: string; headers?: Record<string, string> }

/** Foyer inside the drill, on a clock that the drill turns, asked without a network in between. */
export async function openHouse(
  place: Pick<Place, 'folder' | 'settings'>,
  { now, settings: own = {}, dress, hear = () => {} }: Opening,
) {
  const config = readConfig({ ...settings, DATA_DIR: join(place.folder, 'data'), ...place.settings, ...own })
  const sink = new Writable({
    write: (lines, _encoding, done) => {
      for (const line of String(lines).split('\n').filter(Boolean)) hear(line)
      done()
    },
  })
  const log = createLog(config.LOG_LEVEL, sink)
  const made = await createWorld({ config, log, now })
  const world = { ...made, ...dress?.(made) }
  const app = await createApp({ world, shell: await loadShell() })

  const ask = (options: InjectOptions) => app.inject(options)
  const send = (method: 'GET' | 'POST', url: string, from: From, payload?: object) =>
    ask({
      method,
      url,
      remoteAddress: from.address,
      headers: {
        ...(payload ? { 'content-type': 'application/json' } : {}),
        ...(from.cookie ? { cookie: from.cookie } : {}),
        ...(from.key ? { 'idempotency-key': from.key } : {}),
        ...from.headers,
      },
      ...(payload ? { payload } : {}),
    })
  return {
    world,
    app,
    ask,
    get: (url: string, from: From) => send('GET', url, from),
    /** A call of the contract, by its path. */
    post: (path: string, payload: object, from: From) => send('POST', `${API}${path}`, from, payload),
    async close() {
      await app.close()
      await made.close()
    },
  }
}

/** Two of them where the database can be shared, and what they are in words. */
export async function openHouses(drill: Scale, ground: Ground, place: Place, opening: Opening) {
  const open = () => openHouse(place, { ...opening, hear: (line) => drill.say(`  ${line.slice(0, 300)}`) })
  const house = await open()
  const isShared = ground.name === 'PostgreSQL'
  const houses = isShared ? [house, await open()] : [house]
  return {
    house,
    houses,
    where: isShared ? 'two Foyers on one database' : 'one process',
    async close() {
      for (const one of houses) await one.close()
    },
  }
}

export const cookieOf = ({ headers }: Reply): string =>
  [headers['set-cookie']]
    .flat()
    .map((cookie) => String(cookie ?? '').split(';')[0])
    .join('; ')
