import { join } from 'node:path'
import type { Fault } from '#emulators/provider/faults.ts'
import { startProviderHost } from '#emulators/provider/host.ts'
import type { Drill, ReportRow } from '../drill.ts'
import { createByteSearch, type SearchArea, searchAreas } from '../leak-search/byte-search.ts'
import { dumpDatabase } from '../leak-search/database-dump.ts'
import { embeddedSite, postgresSite, type SearchedSite, startVerboseServer } from '../leak-search/searched-site.ts'
import { createTestCards, type TestCard } from '../leak-search/test-cards.ts'
import { randomPause } from '../payments/kill.ts'
import { arriveAs, type Buyer, learn, outcomes, press, type Told } from './visitor.ts'

const VISITORS = 4
const DECLINED_CARD = '4000000000000002'
/** Much longer than the host’s late answer, so that a busy machine still gets it. */
const DEADLINE_SECONDS = 6

type Interruption = 'kill' | 'stop' | 'none'
/** told: what every visitor must be told, if that is certain. isShort: in the short form, too. */
type Scene = { name: string; fault?: Fault; interruption: Interruption; card?: string; told?: Told; isShort?: true }

/** What happens while four visitors pay at the same time. */
const scenes: Scene[] = [
  { name: 'nothing happens', interruption: 'none', told: 'approved', isShort: true },
  { name: 'killed while the host answers late', fault: 'payment_late', interruption: 'kill', isShort: true },
  { name: 'killed while the host is silent', fault: 'payment_silent', interruption: 'kill' },
  { name: 'stopped while the host answers late', fault: 'payment_late', interruption: 'stop' },
  { name: 'killed at any moment', interruption: 'kill', isShort: true },
  { name: 'a late answer', fault: 'payment_late', interruption: 'none', told: 'approved' },
  { name: 'no answer', fault: 'payment_silent', interruption: 'none', told: 'unknown' },
  { name: 'the connection closed after the order', fault: 'payment_lost', interruption: 'none', told: 'unknown' },
  { name: '500 after the order', fault: 'payment_failed', interruption: 'none', told: 'unknown', isShort: true },
  { name: 'declined', interruption: 'none', card: DECLINED_CARD, told: 'declined', isShort: true },
  { name: 'killed while a card is declined', interruption: 'kill', card: DECLINED_CARD },
  { name: 'a refusal', fault: 'payment_refused', interruption: 'none', told: 'not charged' },
]

/** Kills, stops and delays a site in front of an API host while visitors pay, and then asks the host what happened. */
export const provider: Drill = async ({ short, print, showProgress }, backend) => {
  const rounds = short ? 1 : 5
  const played = scenes.filter(({ isShort }) => isShort || !short)
  const workspace = await backend.createWorkspace()
  const { folder } = workspace
  const database = await (backend.name === 'PostgreSQL' ? postgresSite : embeddedSite)(folder)
  const host = await startProviderHost()
  const cards = createTestCards(rounds * played.length * VISITORS)
  const site = await openSite(database, folder, host.url)
  const buyers: (Buyer & { scene: Scene })[] = []
  try {
    for (let round = 1; round <= rounds; round++)
      for (const scene of played) {
        showProgress(backend.name, `provider: round ${round} of ${rounds}, ${scene.name}`)
        host.fail(scene.fault)
        buyers.push(...(await play(scene, site, cards.splice(0, VISITORS))).map((buyer) => ({ ...buyer, scene })))
      }
    host.fail(undefined)
    await site.stop()
    const findings = compare(buyers, host.seen)
    for (const line of findings.lies.slice(0, MAX_LINES)) print(line)
    return [truthRow(buyers, findings), await leakRow(database, folder, buyers, print)]
  } finally {
    await site.stop()
    await host.close()
    await database.remove()
    await workspace.remove()
  }
}

const MAX_LINES = 20

/** Four visitors pay, and the site is interrupted. Each finds out what happened, and presses again unprompted. */
async function play({ interruption, card }: Scene, site: OpenSite, cards: TestCard[]): Promise<Buyer[]> {
  const buyers = await Promise.all(cards.map((each) => arriveAs(site.url(), each)))
  const presses = buyers.map((buyer) => press(site.url(), buyer, 1, card))
  if (interruption !== 'none') {
    await randomPause(20, 1500)
    await site.restart(interruption === 'kill' ? 'SIGKILL' : 'SIGTERM')
  }
  await Promise.all(presses)
  await Promise.all(buyers.map((buyer) => learn(site.url(), buyer)))
  const isLost = ({ told }: Buyer) => told.at(-1) === 'unknown'
  for (const attempt of [1, 2])
    await Promise.all(buyers.filter(isLost).map((buyer) => press(site.url(), buyer, attempt, card)))
  return buyers
}

type OpenSite = Awaited<ReturnType<typeof openSite>>

/** Each start has a port of its own. */
async function openSite(database: SearchedSite, folder: string, hostUrl: string) {
  const settings = {
    ...database.settings,
    PROVIDER_API_URL: hostUrl,
    PROVIDER_OFFICE_HOSTS: 'office.host.example',
    PROVIDER_DEADLINE: String(DEADLINE_SECONDS),
  }
  const start = () => startVerboseServer({ ...database, settings }, folder)
  let server = await start()
  let isRunning = true
  const end = async (signal: NodeJS.Signals) => {
    if (!isRunning) return
    isRunning = false
    server.child.kill(signal)
    await server.ended
  }
  return {
    url: () => server.url,
    restart: async (signal: NodeJS.Signals) => {
      await end(signal)
      server = await start()
      isRunning = true
    },
    stop: () => end('SIGTERM'),
  }
}

type Seen = Awaited<ReturnType<typeof startProviderHost>>['seen']

/** What the visitors were told, compared with what the host has. */
function compare(buyers: (Buyer & { scene: Scene })[], { orders, requests }: Seen) {
  const usernames = requests
    .filter(({ call }) => call === 'add_enrollment')
    .map(({ body }) => JSON.parse(body).username)
  const lies: string[] = []
  for (const { card, told, isLeftAlone, scene } of buyers) {
    const sent = usernames.filter((username) => username === card.username).length
    const ordered = orders.filter(({ username }) => username === card.username).length
    const say = (what: string) => lies.push(`${scene.name}: ${what}; told: ${told.join(', ')}`)
    if (sent > 1) say(`sent ${sent} times`)
    if (told.includes('approved') && !ordered) say('approved, but the host has no order')
    if ((told.includes('declined') || told.includes('not charged')) && ordered) say('an order that was denied')
    if (isLeftAlone) say('told nothing')
    if (scene.told && told.at(-1) !== scene.told) say(`${scene.told} was expected`)
    if (new Set(told).size > 1) say('told different things')
  }
  return { lies, sent: usernames.length, orders: orders.length }
}

function truthRow(buyers: Buyer[], { lies, sent, orders }: ReturnType<typeof compare>): ReportRow {
  const count = (outcome: string) => buyers.filter(({ told }) => told.at(-1) === outcome).length
  return {
    action: `${buyers.length} enrollments, killed, stopped and delayed: ${outcomes.map((each) => `${count(each)} ${each}`).join(', ')}`,
    expected: '26.10 26.11 26.12 nothing false is said, and nothing is sent twice',
    result: `${lies.length} false, ${sent} sent, ${orders} orders`,
    passed: !lies.length && count('approved') > 0 && count('unknown') > 0 && count('declined') > 0,
  }
}

async function leakRow(
  database: SearchedSite,
  folder: string,
  buyers: Buyer[],
  print: (line: string) => void,
): Promise<ReportRow> {
  const client = await database.open()
  await client.query('checkpoint')
  await dumpDatabase(client, folder)
  const data = join(folder, 'data')
  const areas: SearchArea[] = [
    ...database.areas,
    { name: 'dump', folder: join(folder, 'dump') },
    { name: 'data folder', folder: data, without: [join(data, 'db')] },
    { name: 'log', folder: join(folder, 'log') },
    { name: 'temporary files', folder: join(folder, 'tmp') },
  ]
  await client.close()
  const { findings, bytes, files } = await searchAreas(areas, createByteSearch(buyers.map(({ card }) => card)))
  for (const { area, encoding, card, context } of findings.slice(0, MAX_LINES))
    print(`FOUND in ${area}: ${encoding} of card ${card.index}: ${context}`)
  return {
    action: `searched ${Math.round(bytes / 1e6)} MB in ${files} files`,
    expected: '26.16 no card, CVC or password on disk',
    result: findings.length ? `${findings.length} found` : 'nothing',
    passed: !findings.length,
  }
}
