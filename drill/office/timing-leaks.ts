import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { officeCalls } from '#contract/office/office.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import type { InProcessSite, Reply } from '../in-process-site/in-process-site.ts'
import { seededRandom } from '../seeded-random.ts'
import type { Backend } from '../site/backends.ts'
import { visitorAddress } from '../test-data.ts'
import type { OfficeFixture, TestMember } from './fixture.ts'
import { median, probabilitySlower, type SlowerProbability } from './rank-statistics.ts'

/** hash: the cost in the control, where ours is 19,456 kB in 2 rounds. rows: how many extra rows the control writes. */
const LONG = {
  signIns: 5_000,
  controls: 2_000,
  hash: { cost: { memoryCost: 20_480, timeCost: 2 }, description: 'whose hash costs 5 % more' },
  resets: 5_000,
  rows: 1,
}
const SHORT = {
  signIns: 60,
  controls: 60,
  hash: { cost: { memoryCost: 8, timeCost: 1 }, description: 'whose hash costs almost nothing' },
  resets: 150,
  rows: 5,
}

/**
 * How far the probability may be from 0.5, in standard errors. Without a leak that happens once in 16,000 runs. With 5,000
 * samples it means 0.023. To test one name, an attacker would need about 1,600 tries, but only 50 an hour are allowed.
 */
const MAX_ERRORS = 4
const SEED = 20_261_115
const WARM_UP = 12
/** Samples per period: few enough for the machine's load to stay the same. */
const PERIOD = 100

type Kind = 'known' | 'unknown' | 'control'
type Sample = { kind: Kind; ms: number }
type Requests = Record<Kind, { count: number; names: string[]; send: (name: string) => Promise<Reply> }>

type Timing = {
  what: string
  specNumber: string
  control: string
  /** The only answer that may be given. */
  answer: { status: number; body: object }
  requests: Requests
}

/** Signing in with a wrong password. In the control the members' hashes have another cost, as after an upgrade. */
export async function signInTiming(
  run: DrillRun,
  backend: Backend,
  { site, referrals }: OfficeFixture,
): Promise<ReportRow> {
  const { signIns, controls, hash: controlHash } = run.short ? SHORT : LONG
  const { known, control, unknown } = splitMembers(referrals)
  const password_hash = await hash('Open-Sesame-7', { algorithm: 2, parallelism: 1, ...controlHash.cost })
  const names = control.map(({ name }) => name)
  await site.world.db.updateTable('member').set({ password_hash }).where('username', 'in', names).execute()
  const sender = { address: visitorAddress(0) }
  const send = (name: string) => site.post(officeCalls.signIn.path, { name, password: 'Wrong-Password-1' }, sender)
  return measure(run, backend, {
    what: 'wrong passwords',
    specNumber: 'SPEC 15.1',
    control: `known names ${controlHash.description}`,
    answer: { status: 401, body: { message: 'Wrong username or password.' } },
    requests: {
      known: { count: signIns, names: namesOf(known), send },
      unknown: { count: signIns, names: unknown, send },
      control: { count: controls, names: namesOf(control), send },
    },
  })
}

/** Asking for a password reset. The control also writes rows, and waits for them. */
export function passwordResetTiming(
  run: DrillRun,
  backend: Backend,
  { site, referrals }: OfficeFixture,
): Promise<ReportRow> {
  const { resets, rows } = run.short ? SHORT : LONG
  const { known, control, unknown } = splitMembers(referrals)
  const sender = { address: visitorAddress(0) }
  const send = (name: string) => site.post(officeCalls.forgetPassword.path, { name }, sender)
  const sendAndWrite = async (name: string) => {
    const reply = await send(name)
    for (let row = 0; row < rows; row++) await writeRow(site)
    return reply
  }
  return measure(run, backend, {
    what: 'password resets',
    specNumber: 'SPEC 15.8',
    control: `known names for which ${rows === 1 ? 'one more row is' : `${rows} more rows are`} written`,
    answer: { status: 200, body: {} },
    requests: {
      known: { count: resets, names: namesOf(known), send },
      unknown: { count: resets, names: unknown, send },
      control: { count: resets, names: namesOf(control), send: sendAndWrite },
    },
  })
}

const writeRow = ({ world }: InProcessSite) =>
  world.db.insertInto('one_time_key').values({ kind: 'grant', key: randomUUID(), expires_at: world.now() }).execute()

/** Half of the members for the test, half for the control, and similar names that do not exist. */
function splitMembers(members: TestMember[]) {
  const half = members.length / 2
  const known = members.slice(0, half)
  return {
    known,
    control: members.slice(half),
    unknown: namesOf(known).map((name) => name.replace('quince', 'quinzo').replace('medlar', 'medlos')),
  }
}

const namesOf = (members: TestMember[]) => members.flatMap(({ name, email }) => [name, email])

async function measure(
  run: DrillRun,
  backend: Backend,
  { what, specNumber, control, answer, requests }: Timing,
): Promise<ReportRow> {
  const { samples, wrongAnswers } = await collectSamples(requests, answer, (done, all) =>
    run.showProgress(backend.name, `office · ${what}: ${done} of ${all}`),
  )
  for (const answer of wrongAnswers.slice(0, 3)) run.print(`  unexpected answer: ${answer}`)
  const knownResult = compareWithUnknown(samples, 'known')
  const controlResult = compareWithUnknown(samples, 'control')
  const medianOf = (kind: Kind) => median(timesOf(samples, kind))
  const [known, unknown] = [medianOf('known'), medianOf('unknown')]
  const count = requests.known.count.toLocaleString('en-US')
  return {
    action: `${count} ${what} for known and ${count} for unknown names, in random order, one at a time, without a network, compared in groups of ${PERIOD}; control: ${requests.control.count.toLocaleString('en-US')} for ${control}`,
    expected: `${specNumber} the same answer; the probability that a known name takes longer is within ${MAX_ERRORS} standard errors of 0.5 (${formatBound(knownResult)}); the control is not`,
    result: `${wrongAnswers.length} unexpected answers; medians ${known.toFixed(2)} and ${unknown.toFixed(2)} ms, ratio ${(known / unknown).toFixed(3)}; probability ${format(knownResult)}; control ${medianOf('control').toFixed(2)} ms, ${format(controlResult)}${isDifferent(controlResult) ? '' : ', NOT DETECTED'}`,
    passed: !wrongAnswers.length && !isDifferent(knownResult) && isDifferent(controlResult),
  }
}

const isDifferent = ({ probability, standardError }: SlowerProbability) =>
  Math.abs(probability - 0.5) > MAX_ERRORS * standardError
const formatBound = ({ standardError }: SlowerProbability) => (MAX_ERRORS * standardError).toFixed(3)
const format = ({ probability, standardError }: SlowerProbability) =>
  `${probability.toFixed(3)} ± ${standardError.toFixed(3)}`

const timesOf = (samples: Sample[], kind: Kind) => samples.flatMap((one) => (one.kind === kind ? [one.ms] : []))

const compareWithUnknown = (samples: Sample[], kind: Kind): SlowerProbability =>
  probabilitySlower(
    Array.from({ length: Math.ceil(samples.length / PERIOD) }, (_, n) => {
      const period = samples.slice(n * PERIOD, (n + 1) * PERIOD)
      return { group: timesOf(period, kind), others: timesOf(period, 'unknown') }
    }),
  )

/** Sends all requests in random order, so that other load on the machine affects all kinds alike. */
async function collectSamples(
  requests: Requests,
  { status, body }: Timing['answer'],
  onProgress: (done: number, all: number) => void,
) {
  const random = seededRandom(SEED, 0)
  const kinds = Object.keys(requests) as Kind[]
  const order = shuffle(
    kinds.flatMap((kind) => Array<Kind>(requests[kind].count).fill(kind)),
    random.below,
  )
  const samples: Sample[] = []
  const wrongAnswers: string[] = []
  const expectedBody = JSON.stringify(body)
  const sendOne = async (kind: Kind): Promise<Sample> => {
    const { names, send } = requests[kind]
    const name = random.pick(names)
    const startTime = performance.now()
    const reply = await send(name)
    const ms = performance.now() - startTime
    if (reply.statusCode !== status || reply.body !== expectedBody)
      wrongAnswers.push(`${reply.statusCode} ${reply.body}`)
    return { kind, ms }
  }
  for (let n = 0; n < WARM_UP; n++) await sendOne(random.pick(kinds))
  for (const [n, kind] of order.entries()) {
    samples.push(await sendOne(kind))
    if (n % PERIOD === 0) onProgress(n, order.length)
  }
  return { samples, wrongAnswers }
}

function shuffle<Item>(items: Item[], below: (limit: number) => number): Item[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = below(last + 1)
    ;[items[last], items[other]] = [items[other] as Item, items[last] as Item]
  }
  return items
}
