import { API, calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { mintGrant } from '#server/members/grant.ts'
import { openSession } from '#server/members/session.ts'
import { allRows } from '#server/test/database-rows.ts'
import { testJpeg } from '#server/test/jpeg.ts'
import type { World } from '#server/world/world.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import { solveCaptcha } from '../in-process-site/captcha-solutions.ts'
import type { InProcessSite, Reply, Sender } from '../in-process-site/in-process-site.ts'
import { type Route, routesOf } from '../in-process-site/routes.ts'
import type { Backend } from '../site/backends.ts'
import { americanPhone, cardNumber, formAnswers, visitorAddress } from '../test-data.ts'
import { type OfficeFixture, signIn, type TestMember, tokenFromEmail } from './fixture.ts'
import { CARD, decodeAll, type PrivateDetail, privateDetailsOf } from './private-data.ts'
import { removeFactors, secondFactorInputs } from './second-factor.ts'

const MAX_EXAMPLES = 5
/** Emails to which the sponsor changes during the drill. */
const NEXT_EMAIL = 'next@mail.example'
const THIRD_EMAIL = 'one.more@mail.example'
const NEXT_NAME = 'renamedsponsor'
const sender: Sender = { address: visitorAddress(0) }

const { dropPackage, comeBack, sendPhoneCode, confirmPhone } = officeCalls
/** Calls that need another membership than this one, or a site that sends codes. Their answers are searched, too. */
const otherStates = new Set<string>([dropPackage, comeBack, sendPhoneCode, confirmPhone].map(({ path }) => path))

type Sponsor = TestMember & { id: string; emails: string[]; sha256: string; newCookie: () => Promise<string> }
type Answers = Record<string, unknown>
type Leak = { what: string; where: string }

/** A sponsor calls every route. No answer may contain anything about the referrals except name and date. */
export async function sponsorPrivacy(
  run: DrillRun,
  backend: Backend,
  { site, ...fixture }: OfficeFixture,
): Promise<ReportRow> {
  await site.app.ready()
  const { referrals } = fixture
  const sponsor = await openSponsorSession(site, fixture.sponsor)
  const details = await privateDetails(site, referrals)
  const leaks: Leak[] = []
  const search = (where: string, text: string) => {
    const decoded = decodeAll(text)
    for (const { what, isIn } of details) if (isIn(decoded)) leaks.push({ what, where })
  }

  const routes = routesOf(site.app)
  const successes = new Set<string>()
  const failures = new Map<string, string>()
  let answers = 0
  let nameCount = 0
  for (const [index, route] of routes.entries()) {
    run.showProgress(
      backend.name,
      `office · sponsor privacy: ${index} of ${routes.length} routes, ${leaks.length} leaks`,
    )
    for (const person of route.name === 'files' ? [undefined] : [undefined, ...referrals]) {
      const reply = await sendTo(site, route, await answersFor(site, route, sponsor, person), await sponsor.newCookie())
      search(`${route.method} ${route.path}`, fullText(reply))
      if (reply.statusCode === 200) successes.add(route.path)
      else if (!person) failures.set(route.path, `${reply.statusCode} ${reply.body}`)
      if (route.path.endsWith(officeCalls.getOffice.path)) nameCount = countNames(reply, referrals)
      answers += 1
    }
  }
  await removeFactors(site, sponsor.id)
  const emails = await emailsTo(site, sponsor.emails)
  for (const email of emails) search('an email', email)

  const failedCalls = Object.values(officeCalls).filter(
    ({ path }) => !successes.has(API + path) && !otherStates.has(path),
  )
  for (const { path } of failedCalls) run.print(`  not answered with 200: ${path}: ${failures.get(API + path)}`)
  for (const { what, where } of leaks.slice(0, MAX_EXAMPLES)) run.print(`  ${what} in ${where}`)
  const missing = await missingInDump(site, details)
  for (const what of new Set(missing)) run.print(`  the control does not find: ${what}`)
  return {
    action: `a sponsor with ${referrals.length} referrals calls all ${routes.length} routes, for themselves and for each referral: ${answers} answers and ${emails.length} emails searched for ${details.length} private details`,
    expected:
      '15.5 no email, phone, address or payment of a referral; every office call that fits this membership succeeds and all referrals are listed; the control, a dump of the database, contains every detail',
    result: `${leaks.length} leaks; ${failedCalls.length} calls failed, ${nameCount} referrals listed; ${missing.length} details missing in the control`,
    passed: !leaks.length && !failedCalls.length && nameCount === referrals.length && !missing.length,
  }
}

async function openSponsorSession(site: InProcessSite, person: TestMember): Promise<Sponsor> {
  const { world } = site
  const cookie = await signIn(site, person)
  const member = await world.db
    .selectFrom('member')
    .innerJoin('acceptance', 'acceptance.member_id', 'member.id')
    .select(['id', 'sha256'])
    .where('username', '=', person.name)
    .executeTakeFirstOrThrow()
  return {
    ...person,
    ...member,
    emails: [person.email, NEXT_EMAIL, THIRD_EMAIL],
    // Some calls end the session, so every call gets a new one.
    newCookie: async () => cookie.replace(/(?<=foyer_office=)[^;]+/, await newKey(world, member.id)),
  }
}

async function newKey(world: World, id: string): Promise<string> {
  const session = await openSession(world, { agent: '' }, await accessOf(world, id))
  if (!session) throw new Error('The member cannot sign in.')
  return session.key
}

const accessOf = ({ db }: World, id: string) =>
  db.selectFrom('member').select(['id', 'access_version']).where('id', '=', id).executeTakeFirstOrThrow()

/** The referrals' answers, and the ids of their payments. */
async function privateDetails({ world }: InProcessSite, people: TestMember[]): Promise<PrivateDetail[]> {
  const payments = await world.db
    .selectFrom('member')
    .innerJoin('payment', 'payment.enrollment_id', 'member.enrollment_id')
    .select(['username', 'payment.enrollment_id', 'reference', 'transaction_id', 'payment.vault_reference'])
    .execute()
  return people.flatMap((person) => {
    const payment = payments.find(({ username }) => username === person.name)
    if (!payment?.transaction_id || !payment.vault_reference) throw new Error('a member has no payment')
    const { enrollment_id, reference, transaction_id, vault_reference } = payment
    return privateDetailsOf(person, { enrollment_id, reference, transaction_id, vault_reference })
  })
}

/** The sponsor's input: valid where possible, with what a sponsor may know or guess about a referral. */
async function answersFor(
  site: InProcessSite,
  route: Route,
  sponsor: Sponsor,
  person: TestMember | undefined,
): Promise<Answers> {
  const subject = person ?? sponsor
  return {
    ...formAnswers('newcomer', americanPhone(999), cardNumber('4539', 999)),
    phone_number: sponsor.mobile_phone,
    cellphone: sponsor.mobile_phone,
    mobile_phone: sponsor.mobile_phone,
    code: '123456',
    product_category_id: '17',
    language_id: '1',
    sha256: sponsor.sha256,
    current_password: sponsor.password,
    password: sponsor.password,
    sponsor_site: subject.name,
    sponsor_site_name: subject.name,
    name: subject.name,
    username: subject.name,
    ...(person ? { email: person.email } : {}),
    ...('captcha' in route.fields ? { captcha: (await solveCaptcha(site, sender)) ?? '' } : {}),
    ...(await extraAnswers(site, route, sponsor, person !== undefined)),
  }
}

/** What some calls need besides: a token from an email, a grant, an unused email. */
async function extraAnswers(
  site: InProcessSite,
  { path }: Route,
  sponsor: Sponsor,
  isAboutReferral: boolean,
): Promise<Answers> {
  const { id, name, password } = sponsor
  const { changeEmail, confirmEmail, forgetPassword, resetPassword, signIn, sendEmailLink } = officeCalls
  const { changeUsername, changePicture, changeJoinEmails, changeRenewalEmails, changePhone } = officeCalls
  if (isAboutReferral) return path === API + signIn.path ? { password: 'Wrong-Password-1' } : { token: '' }
  const prepare = secondFactorInputs[path.slice(API.length)]
  if (prepare) return prepare({ site, person: sponsor, sender })
  switch (path) {
    case API + calls.addEnrollment.path:
      return { username: 'newcomer' }
    case API + changeEmail.path:
      return { email: NEXT_EMAIL }
    case API + changeUsername.path:
      sponsor.name = NEXT_NAME // what the page shows from now on
      return { username: NEXT_NAME }
    case API + changePicture.path:
      return { picture: testJpeg(256, 256) }
    case API + changeJoinEmails.path:
      return { join_emails: true }
    case API + changeRenewalEmails.path:
      return { renewal_emails: true }
    case API + changePhone.path:
      return { mobile_phone: americanPhone(998) }
    case API + sendEmailLink.path:
      await site.world.db.updateTable('member').set({ email_confirmed_at: null }).where('id', '=', id).execute()
      return {}
    case API + confirmEmail.path: {
      const cookie = await sponsor.newCookie()
      await site.post(changeEmail.path, { email: THIRD_EMAIL, current_password: password }, { ...sender, cookie })
      return { token: await tokenFromEmail(site, THIRD_EMAIL, 'confirm-email') }
    }
    case API + resetPassword.path: {
      await site.post(forgetPassword.path, { name }, sender)
      const { email } = await memberOf(site, id)
      return { token: await tokenFromEmail(site, email, 'new-password') }
    }
    default:
      return { token: await mintGrant(site.world, await accessOf(site.world, id)) }
  }
}

const memberOf = ({ world }: InProcessSite, id: string) =>
  world.db.selectFrom('member').select('email').where('id', '=', id).executeTakeFirstOrThrow()

function sendTo(
  site: InProcessSite,
  { method, path, fields }: Route,
  answers: Answers,
  cookie: string,
): Promise<Reply> {
  const url = path.replace(/:(\w+)/g, (_all, name) => String(answers[name] ?? ''))
  const input = Object.fromEntries(
    Object.keys(fields).flatMap((name) => (answers[name] ? [[name, answers[name]]] : [])),
  )
  if (method === 'POST') return site.post(url.slice(API.length), input, { ...sender, cookie })
  const query = path.includes(':') ? '' : `?${new URLSearchParams(input as Record<string, string>)}`
  return site.get(url + query, { ...sender, cookie })
}

const fullText = ({ statusCode, headers, body }: Reply) => `${statusCode} ${JSON.stringify(headers)}\n${body}`

const countNames = (reply: Reply, people: TestMember[]): number => {
  const names = new Set(reply.json().brought?.map(({ name }: { name: string }) => name.split(' ').at(-1)))
  return people.filter(({ last_name }) => names.has(last_name)).length
}

async function emailsTo({ world }: InProcessSite, addresses: string[]): Promise<string[]> {
  const messages = await world.db.selectFrom('message').selectAll().where('recipient', 'in', addresses).execute()
  return messages.map(({ subject, body, html, attachment }) => [subject, body, html, attachment?.content].join('\n'))
}

/** The same search over all rows of the database. Card digits are never stored, so they are left out. */
async function missingInDump({ world: { db } }: InProcessSite, details: PrivateDetail[]): Promise<string[]> {
  const decoded = decodeAll(
    Object.values(await allRows(db))
      .flat()
      .join('\n'),
  )
  return details.filter(({ what, isIn }) => what !== CARD && !isIn(decoded)).map(({ what }) => what)
}
