import { API, calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office-calls.ts'
import { mintGrant } from '#server/office/grant.ts'
import { openSession } from '#server/office/session.ts'
import { everyRow } from '#server/test/every-row.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { solution } from '../in-process-site/captcha-solutions.ts'
import type { From, House, Reply } from '../in-process-site/in-process-site.ts'
import { type Route, routesOf } from '../in-process-site/routes.ts'
import { americanPhone, answersOf, cardNumber, honestAddress } from '../test-data.ts'
import { cookieFor, type Person, type Scene, wordTo } from './fixture.ts'
import { CARD, type Own, ownOf, readingOf } from './private-data.ts'

const EXAMPLES = 5
/** Addresses to which the sponsor moves, or wants to. */
const NEXT = 'next@mail.example'
const ONE_MORE = 'one.more@mail.example'
const from: From = { address: honestAddress(0) }

type Sponsor = Person & { id: string; emails: string[]; sha256: string; newCookie: () => Promise<string> }
type Hand = Record<string, string>
type Leak = { what: string; where: string }

/** A sponsor asks for everything there is, and nothing of those whom they brought is in any answer but name and day. */
export async function discretion(drill: Scale, ground: Ground, { house, ...scene }: Scene): Promise<Row> {
  await house.app.ready()
  const { brought } = scene
  const sponsor = await behindTheDesk(house, scene.sponsor)
  const theirs = await allOwn(house, brought)
  const leaks: Leak[] = []
  const search = (where: string, text: string) => {
    const reading = readingOf(text)
    for (const { what, isIn } of theirs) if (isIn(reading)) leaks.push({ what, where })
  }

  const routes = routesOf(house.app)
  const answeredWell = new Set<string>()
  let answers = 0
  let named = 0
  for (const [index, route] of routes.entries()) {
    drill.progress(ground.name, `office · a sponsor asks: ${index} of ${routes.length} routes, ${leaks.length} leaks`)
    for (const person of route.name === 'files' ? [undefined] : [undefined, ...brought]) {
      const reply = await ask(house, route, await handFor(house, route, sponsor, person), await sponsor.newCookie())
      search(`${route.method} ${route.path}`, answerIn(reply))
      if (reply.statusCode === 200) answeredWell.add(route.path)
      if (route.path.endsWith(officeCalls.getOffice.path)) named = namedIn(reply, brought)
      answers += 1
    }
  }
  const letters = await lettersTo(house, sponsor.emails)
  for (const letter of letters) search('a letter', letter)

  const closed = Object.values(officeCalls).filter(({ path }) => !answeredWell.has(API + path))
  for (const { path } of closed) drill.say(`  not answered with 200: ${path}`)
  for (const { what, where } of leaks.slice(0, EXAMPLES)) drill.say(`  ${what} in ${where}`)
  const missed = await missedInDump(house, theirs)
  for (const what of new Set(missed)) drill.say(`  the control does not find: ${what}`)
  return {
    done: `${brought.length} people join under one member, who asks for all ${routes.length} routes with the office's cookie, about themselves and about each of them: ${answers} answers and ${letters.length} letters searched for ${theirs.length} things that are theirs`,
    asked:
      '15.5 no mail, phone, address or payment of theirs; every call of the office answers, all are named; the control, a dump of the database, has them all',
    found: `${leaks.length} found; ${closed.length} calls unanswered, ${named} named; ${missed.length} missed by the control`,
    passed: !leaks.length && !closed.length && named === brought.length && !missed.length,
  }
}

async function behindTheDesk(house: House, person: Person): Promise<Sponsor> {
  const { world } = house
  const cookie = await cookieFor(house, person)
  const member = await world.db
    .selectFrom('member')
    .innerJoin('acceptance', 'acceptance.member_id', 'member.id')
    .select(['id', 'sha256'])
    .where('username', '=', person.name)
    .executeTakeFirstOrThrow()
  return {
    ...person,
    ...member,
    emails: [person.email, NEXT, ONE_MORE],
    // Some calls end a session: each is asked from a new one.
    newCookie: async () => cookie.replace(/(?<=foyer_office=)[^;]+/, (await openSession(world, member.id)).key),
  }
}

/** All that is theirs, and the payments' own names for it. */
async function allOwn({ world }: House, people: Person[]): Promise<Own[]> {
  const paid = await world.db
    .selectFrom('member')
    .innerJoin('payment', 'payment.enrollment_id', 'member.enrollment_id')
    .select(['username', 'payment.enrollment_id', 'reference', 'transaction_id', 'payment.vault_reference'])
    .execute()
  return people.flatMap((person) => {
    const found = paid.find(({ username }) => username === person.name)
    if (!found?.transaction_id || !found.vault_reference) throw new Error('somebody has not paid')
    const { enrollment_id, reference, transaction_id, vault_reference } = found
    return ownOf(person, { enrollment_id, reference, transaction_id, vault_reference })
  })
}

/** What the sponsor fills in: all that fits, and of somebody whom they brought what they may know or guess. */
async function handFor(house: House, route: Route, sponsor: Sponsor, person: Person | undefined): Promise<Hand> {
  const about = person ?? sponsor
  return {
    ...answersOf('newcomer', americanPhone(999), cardNumber('4539', 999)),
    phone_number: sponsor.mobile_phone,
    cellphone: sponsor.mobile_phone,
    mobile_phone: sponsor.mobile_phone,
    code: '123456',
    product_category_id: '17',
    language_id: '1',
    sha256: sponsor.sha256,
    current_password: sponsor.password,
    password: sponsor.password,
    sponsor_site: about.name,
    sponsor_site_name: about.name,
    name: about.name,
    username: about.name,
    ...(person ? { email: person.email } : {}),
    ...('captcha' in route.fields ? { captcha: (await solution(house, from)) ?? '' } : {}),
    ...(await handToo(house, route, sponsor, person !== undefined)),
  }
}

/** What some calls want besides: a word from a letter to the sponsor, a grant, a free address. */
async function handToo(house: House, { path }: Route, sponsor: Sponsor, isAboutOthers: boolean): Promise<Hand> {
  const { id, name, password } = sponsor
  const { changeEmail, confirmEmail, forgetPassword, resetPassword, signIn } = officeCalls
  if (isAboutOthers) return path === API + signIn.path ? { password: 'Wrong-Password-1' } : { token: '' }
  switch (path) {
    case API + calls.addEnrollment.path:
      return { username: 'newcomer' }
    case API + changeEmail.path:
      return { email: NEXT }
    case API + confirmEmail.path: {
      const cookie = await sponsor.newCookie()
      await house.post(changeEmail.path, { email: ONE_MORE, current_password: password }, { ...from, cookie })
      return { token: await wordTo(house, ONE_MORE, 'confirm-email') }
    }
    case API + resetPassword.path: {
      await house.post(forgetPassword.path, { name }, from)
      const { email } = await memberOf(house, id)
      return { token: await wordTo(house, email, 'new-password') }
    }
    default:
      return { token: await mintGrant(house.world, id) }
  }
}

const memberOf = ({ world }: House, id: string) =>
  world.db.selectFrom('member').select('email').where('id', '=', id).executeTakeFirstOrThrow()

function ask(house: House, { method, path, fields }: Route, hand: Hand, cookie: string): Promise<Reply> {
  const url = path.replace(/:(\w+)/g, (_all, name) => hand[name] ?? '')
  const given = Object.fromEntries(Object.keys(fields).flatMap((name) => (hand[name] ? [[name, hand[name]]] : [])))
  if (method === 'POST') return house.post(url.slice(API.length), given, { ...from, cookie })
  const query = path.includes(':') ? '' : `?${new URLSearchParams(given)}`
  return house.get(url + query, { ...from, cookie })
}

const answerIn = ({ statusCode, headers, body }: Reply) => `${statusCode} ${JSON.stringify(headers)}\n${body}`

const namedIn = (reply: Reply, people: Person[]): number => {
  const names = new Set(reply.json().brought?.map(({ name }: { name: string }) => name.split(' ').at(-1)))
  return people.filter(({ last_name }) => names.has(last_name)).length
}

async function lettersTo({ world }: House, addresses: string[]): Promise<string[]> {
  const letters = await world.db.selectFrom('message').selectAll().where('recipient', 'in', addresses).execute()
  return letters.map(({ subject, body, html, attachment }) => [subject, body, html, attachment?.content].join('\n'))
}

/** The same search over all rows there are. A card's ending lies nowhere, so it is put there for the search alone. */
async function missedInDump({ world: { db } }: House, theirs: Own[]): Promise<string[]> {
  const reading = readingOf(
    Object.values(await everyRow(db))
      .flat()
      .join('\n'),
  )
  return theirs.filter(({ what, isIn }) => what !== CARD && !isIn(reading)).map(({ what }) => what)
}
