import { officeCalls } from '#contract/office-calls.ts'
import { mintGrant } from '#server/office/grant.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import type { Door, From, Reply } from '../in-process-site/in-process-site.ts'
import { thiefAddress } from '../test-data.ts'
import { cookieFor, type Person, wordTo } from './fixture.ts'

const LONG = { uses: 1_000 }
const SHORT = { uses: 40 }

/** The one thing: how the n-th uses it, and whether exactly one has got what it stands for. */
type Good = {
  use: (house: Door, n: number, from: From) => Promise<Reply>
  isOnesOwn: (winner: number) => Promise<boolean>
}
type Kind = {
  name: string
  sentence: string
  asked: string
  prepare: (house: Door, member: Person) => Promise<Good>
}

const kinds: Kind[] = [
  {
    name: 'grant',
    asked: 'one session, the others refused with the sentence',
    sentence: 'This link into the office was used before or is too old.',
    prepare: async (house, member) => {
      const token = await mintGrant(house.world, await idOf(house, member))
      return {
        use: (one, _n, from) => one.post(officeCalls.enterOffice.path, { token }, from),
        isOnesOwn: async () => (await sessionsOf(house, member)) === 1,
      }
    },
  },
  {
    name: 'password word',
    asked: 'one sets the password, the others refused with the sentence',
    sentence: 'This link was used before or is too old. Please ask for a new one.',
    prepare: async (house, member) => {
      await house.post(officeCalls.forgetPassword.path, { name: member.name }, { address: thiefAddress(0) })
      const token = await wordTo(house, member.email, 'new-password')
      const password = (n: number) => `Lemon-Tree-${n}`
      return {
        use: (one, n, from) => one.post(officeCalls.resetPassword.path, { token, password: password(n) }, from),
        isOnesOwn: (winner) =>
          cookieFor(house, { ...member, password: password(winner) }).then(
            () => true,
            () => false,
          ),
      }
    },
  },
  {
    name: 'email word',
    asked: 'one confirms the address, the others refused with the sentence',
    sentence: 'This link was used before or is too old.',
    prepare: async (house, member) => {
      const email = `new.${member.email}`
      const from = { address: thiefAddress(0), cookie: await cookieFor(house, member) }
      await house.post(officeCalls.changeEmail.path, { email, current_password: member.password }, from)
      const token = await wordTo(house, email, 'confirm-email')
      return {
        use: (one, _n, from) => one.post(officeCalls.confirmEmail.path, { token }, from),
        isOnesOwn: async () => (await memberOf(house, member)).email === email,
      }
    },
  },
]

/** Members of whom each has one thing, and where it can be brought. */
type Bringing = { house: Door; houses: Door[]; strangers: Person[]; where: string }

/** What opens something once is brought by a thousand at once, each from an address of their own. */
export async function broughtOnce(drill: Scale, ground: Ground, bringing: Bringing): Promise<Row[]> {
  const { house, houses, strangers, where } = bringing
  const { uses } = drill.short ? SHORT : LONG
  const rows: Row[] = []
  for (const [index, { name, sentence, asked, prepare }] of kinds.entries()) {
    drill.progress(ground.name, `office · one ${name}, ${uses} at once`)
    const member = strangers[index] as Person
    const { use, isOnesOwn } = await prepare(house, member)
    const replies = await Promise.all(
      Array.from({ length: uses }, (_, n) => use(houses[n % houses.length] ?? house, n, { address: thiefAddress(n) })),
    )
    const winners = [...replies.keys()].filter((n) => replies[n]?.statusCode === 200)
    const refused = replies.filter((reply) => reply.statusCode === 401 && reply.json().message === sentence).length
    const failed = replies.filter(({ statusCode }) => statusCode >= 500).length
    const isRight = await isOnesOwn(winners[0] ?? -1)
    rows.push({
      done: `${uses} parallel uses of one ${name}, ${where}`,
      asked: `${asked}, no 5xx`,
      found: `${winners.length} succeeded${isRight ? '' : ', BUT IT DID NOT BECOME TRUE'}, ${refused} refused so, ${failed} answers of 5xx`,
      passed: winners.length === 1 && refused === uses - 1 && failed === 0 && isRight,
    })
  }
  return rows
}

const memberOf = ({ world }: Door, { name }: Person) =>
  world.db.selectFrom('member').select(['id', 'email']).where('username', '=', name).executeTakeFirstOrThrow()

const idOf = async (house: Door, member: Person) => (await memberOf(house, member)).id

async function sessionsOf(house: Door, member: Person): Promise<number> {
  const sessions = await house.world.db
    .selectFrom('office_session')
    .select('key_hash')
    .where('member_id', '=', await idOf(house, member))
    .execute()
  return sessions.length
}
