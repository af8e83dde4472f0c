import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { officeCalls } from '#contract/office-calls.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import type { House, Reply } from '../in-process-site/in-process-site.ts'
import { chance } from '../seeded-random.ts'
import { honestAddress } from '../test-data.ts'
import type { Person, Scene } from './fixture.ts'
import { chanceOfLonger, type Longer, median } from './rank-statistics.ts'

/** other: what a control's hash costs, when ours costs 19,456 kB in 2 rounds; rows: how many more a control writes. */
const LONG = {
  signIns: 5_000,
  controls: 2_000,
  other: { cost: { memoryCost: 20_480, timeCost: 2 }, words: 'whose hash costs 5 % more' },
  letters: 5_000,
  rows: 1,
}
const SHORT = {
  signIns: 60,
  controls: 60,
  other: { cost: { memoryCost: 8, timeCost: 1 }, words: 'whose hash costs next to nothing' },
  letters: 150,
  rows: 5,
}

/**
 * How far from 0.5 the chance may lie, in standard errors. By itself it strays that far once in 16,000 runs. With 5,000 of
 * each that is 0.023, and to tell one name by so little takes about 1,600 tries of it, when 50 an hour are let through.
 */
const MOST_ERRORS = 4
const SEED = 20_261_115
const WARM = 12
/** How many in a row are compared with each other: few enough that the machine is as busy for the last as for the first. */
const STRETCH = 100

type Kind = 'known' | 'unknown' | 'control'
type Sample = { kind: Kind; ms: number }
/** How often each is asked, about which names, and how. */
type Asking = Record<Kind, { times: number; names: string[]; ask: (name: string) => Promise<Reply> }>

type Timing = {
  what: string
  asked: string
  control: string
  /** The one answer that everybody gets. */
  answer: { status: number; body: object }
  asking: Asking
}

/** A wrong password at the door. In the control a member's hash is another one, as an older or newer release might have left it. */
export async function signingIn(drill: Scale, ground: Ground, { house, brought }: Scene): Promise<Row> {
  const { signIns, controls, other } = drill.short ? SHORT : LONG
  const { known, control, unknown } = castOf(brought)
  const password_hash = await hash('Open-Sesame-7', { algorithm: 2, parallelism: 1, ...other.cost })
  const theirs = control.map(({ name }) => name)
  await house.world.db.updateTable('member').set({ password_hash }).where('username', 'in', theirs).execute()
  const from = { address: honestAddress(0) }
  const ask = (name: string) => house.post(officeCalls.signIn.path, { name, password: 'Wrong-Password-1' }, from)
  return timed(drill, ground, {
    what: 'wrong passwords',
    asked: '15.1',
    control: `known names ${other.words}`,
    answer: { status: 401, body: { message: 'Username or password do not match.' } },
    asking: {
      known: { times: signIns, names: namesOf(known), ask },
      unknown: { times: signIns, names: unknown, ask },
      control: { times: controls, names: namesOf(control), ask },
    },
  })
}

/** A letter to who forgot the password. The control waits for more. */
export function forgetting(drill: Scale, ground: Ground, { house, brought }: Scene): Promise<Row> {
  const { letters, rows } = drill.short ? SHORT : LONG
  const { known, control, unknown } = castOf(brought)
  const from = { address: honestAddress(0) }
  const ask = (name: string) => house.post(officeCalls.forgetPassword.path, { name }, from)
  const askAndWrite = async (name: string) => {
    const reply = await ask(name)
    for (let row = 0; row < rows; row++) await writeOne(house)
    return reply
  }
  return timed(drill, ground, {
    what: 'forgotten passwords',
    asked: '15.8',
    control: `known names for which ${rows === 1 ? 'one more row is' : `${rows} more rows are`} written`,
    answer: { status: 200, body: {} },
    asking: {
      known: { times: letters, names: namesOf(known), ask },
      unknown: { times: letters, names: unknown, ask },
      control: { times: letters, names: namesOf(control), ask: askAndWrite },
    },
  })
}

const writeOne = ({ world }: House) =>
  world.db.insertInto('spent').values({ kind: 'grant', key: randomUUID(), expires_at: world.now() }).execute()

/** Half of the members for the question, half for the control, and as many names that are like theirs and nobody's. */
function castOf(members: Person[]) {
  const half = members.length / 2
  const known = members.slice(0, half)
  return {
    known,
    control: members.slice(half),
    unknown: namesOf(known).map((name) => name.replace('quince', 'quinzo').replace('medlar', 'medlos')),
  }
}

const namesOf = (members: Person[]) => members.flatMap(({ name, email }) => [name, email])

async function timed(drill: Scale, ground: Ground, { what, asked, control, answer, asking }: Timing): Promise<Row> {
  const { samples, others } = await mingled(asking, answer, (done, all) =>
    drill.progress(ground.name, `office · ${what}: ${done} of ${all}`),
  )
  for (const other of others.slice(0, 3)) drill.say(`  another answer: ${other}`)
  const told = againstUnknown(samples, 'known')
  const found = againstUnknown(samples, 'control')
  const middle = (kind: Kind) => median(timesOf(samples, kind))
  const [known, unknown] = [middle('known'), middle('unknown')]
  const each = asking.known.times.toLocaleString('en-US')
  return {
    done: `${each} ${what} for known and ${each} for unknown names, mingled, one at a time, without a network, compared by hundreds; control: ${asking.control.times.toLocaleString('en-US')} for ${control}`,
    asked: `${asked} the same answer; a known name takes longer with a chance within ${MOST_ERRORS} standard errors of 0.5, ${bound(told)}; the control does not`,
    found: `${others.length} other answers; medians ${known.toFixed(2)} and ${unknown.toFixed(2)} ms, ratio ${(known / unknown).toFixed(3)}; longer with a chance of ${inWords(told)}; control ${middle('control').toFixed(2)} ms, ${inWords(found)}${isTold(found) ? '' : ', NOT FOUND'}`,
    passed: !others.length && !isTold(told) && isTold(found),
  }
}

const isTold = ({ chance, error }: Longer) => Math.abs(chance - 0.5) > MOST_ERRORS * error
const bound = ({ error }: Longer) => (MOST_ERRORS * error).toFixed(3)
const inWords = ({ chance, error }: Longer) => `${chance.toFixed(3)} ± ${error.toFixed(3)}`

const timesOf = (samples: Sample[], kind: Kind) => samples.flatMap((one) => (one.kind === kind ? [one.ms] : []))

const againstUnknown = (samples: Sample[], kind: Kind): Longer =>
  chanceOfLonger(
    Array.from({ length: Math.ceil(samples.length / STRETCH) }, (_, n) => {
      const stretch = samples.slice(n * STRETCH, (n + 1) * STRETCH)
      return { these: timesOf(stretch, kind), those: timesOf(stretch, 'unknown') }
    }),
  )

/** All in one random order, so that whatever else the machine does falls on each alike. */
async function mingled(asking: Asking, { status, body }: Timing['answer'], tell: (done: number, all: number) => void) {
  const dice = chance(SEED, 0)
  const kinds = Object.keys(asking) as Kind[]
  const order = shuffled(
    kinds.flatMap((kind) => Array<Kind>(asking[kind].times).fill(kind)),
    dice.below,
  )
  const samples: Sample[] = []
  const others: string[] = []
  const right = JSON.stringify(body)
  const askOne = async (kind: Kind): Promise<Sample> => {
    const { names, ask } = asking[kind]
    const name = dice.one(names)
    const started = performance.now()
    const reply = await ask(name)
    const ms = performance.now() - started
    if (reply.statusCode !== status || reply.body !== right) others.push(`${reply.statusCode} ${reply.body}`)
    return { kind, ms }
  }
  for (let n = 0; n < WARM; n++) await askOne(dice.one(kinds))
  for (const [n, kind] of order.entries()) {
    samples.push(await askOne(kind))
    if (n % STRETCH === 0) tell(n, order.length)
  }
  return { samples, others }
}

function shuffled<Thing>(things: Thing[], below: (most: number) => number): Thing[] {
  for (let last = things.length - 1; last > 0; last--) {
    const other = below(last + 1)
    ;[things[last], things[other]] = [things[other] as Thing, things[last] as Thing]
  }
  return things
}
