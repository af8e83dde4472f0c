import { sharedOnce } from '../abuse/double-use.ts'
import { everyForgedHeader, inWords, lookUpOften, visitorsCounted } from '../abuse/forged-headers.ts'
import type { Ground, Part, Row } from '../drill.ts'
import { joinStrangers } from '../office/fixture.ts'
import { broughtOnce } from '../office/one-time-links.ts'
import { openSite, type Site } from '../site/site.ts'
import { openDoor } from './cluster-client.ts'
import { type Many, manyGround } from './process-cluster.ts'

const WHERE = 'four processes behind the proxy'

type Opened = { site: Site; many: Many }

async function onMany<Result>(
  ground: Ground,
  settings: Record<string, string>,
  work: (opened: Opened) => Promise<Result>,
) {
  const behind = manyGround(ground, { settings })
  const site = await openSite(behind, { faults: [], settings: {} })
  return work({ site, many: behind.many() }).finally(site.close)
}

/** What is good once, brought to four processes at the same moment. */
export const onceOnly: Part = (drill, ground) =>
  // The code is read in the outbox, which production does not show.
  onMany(ground, { NODE_ENV: 'development' }, async ({ site, many }) => {
    const door = await openDoor(many, site.place)
    const houses = [door]
    const strangers = await joinStrangers(door)
    const rows = [
      ...(await sharedOnce(drill, ground, houses, WHERE)),
      ...(await broughtOnce(drill, ground, { house: door, houses, strangers, where: WHERE })),
    ]
    await door.close()
    return rows
  })

const SIZE = { requests: 400, sockets: 20 }
const MOST = 300
/** Not the proxy's own address, which is believed when it names a visitor. */
const callers = ['127.0.0.7', '127.0.0.8']

/** Two callers, each of whom names another visitor each time: they are two, at whichever process they arrive. */
export const forgedAddresses: Part = (drill, ground) =>
  onMany(ground, { LIMIT_LOOKUPS: `${MOST}/3600` }, async ({ site, many }): Promise<Row[]> => {
    const told = await Promise.all(
      callers.map((localAddress) =>
        lookUpOften(many.url, everyForgedHeader, { ...SIZE, localAddress }, (next) =>
          drill.progress(ground.name, `many · forged headers: ${next} of ${SIZE.requests}`),
        ),
      ),
    )
    const database = await site.place.open()
    const counted = await visitorsCounted(database.db).finally(database.close)
    const isRight = (statuses: Map<number, number>) =>
      statuses.get(200) === MOST && statuses.get(429) === SIZE.requests - MOST
    return [
      {
        done: `${SIZE.requests} lookups with forged headers from each of ${callers.length} addresses, ${WHERE}`,
        asked: `${callers.length} visitors, each of whom may do ${MOST} an hour`,
        found: `${counted} visitors; answered ${told.map(inWords).join(' and ')}`,
        passed: counted === callers.length && told.every(isRight),
      },
    ]
  })
