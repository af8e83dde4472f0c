import { API, calls } from '#contract/api.ts'
import { messageKey, messageReports } from '#contract/field-messages.ts'
import { passwordMessages } from '#contract/password.ts'
import { type CardName, cards } from '#server/gateways/payment/cards.ts'
import { advanceClock, DAY_MS } from '#server/worker/advance-clock.ts'
import { seededRandom } from '../drill/seeded-random.ts'
import { type Person, personOf } from './people.ts'
import { agents, type DemoSite, type Sending } from './site.ts'
import { type Colleague, hire } from './staff.ts'

export type Size = { members: number; days: number }
export const fullYear: Size = { members: 120, days: 365 }

/** What becomes of a member. Assigned in turn, so that every screen of the console has something to show. */
type Fate = {
  card?: CardName | 'mastercard' | 'amex'
  order?: { product_ids?: string; autoship_product_ids?: string; special_product_ids?: string }
  later?: [afterDays: number, act: Act][]
}
type Act = (year: Year, member: Member) => Promise<unknown>

type Member = Person & { id: string }
type Year = { site: DemoSite; support: Colleague; finance: Colleague }

const office =
  (path: string): Act =>
  async ({ site }, member) => {
    const { cookie } = await site.call('/office/sign-in', {
      network: member.network,
      body: { name: member.username, password: PASSWORD },
    })
    await site.call(path, { network: member.network, cookie, body: { username: member.username } })
  }

const bySupport =
  (path: string, reason: string): Act =>
  ({ support }, { id: member_id }) =>
    support.act(path, { member_id, reason })

const refund =
  (amount: string, reason: string): Act =>
  async ({ site, finance }, { id: member_id }) => {
    const payment = await site.world.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('reference')
      .where('member.id', '=', member_id)
      .where('payment.state', '=', 'captured')
      .orderBy('payment.updated_at', 'desc')
      .executeTakeFirst()
    if (payment) await finance.act('/console/payments/refund', { member_id, ...payment, amount, reason })
  }

const fates: Fate[] = [
  {},
  { card: 'mastercard' },
  { card: 'renewalDeclinedOnce' },
  { order: { autoship_product_ids: '41' } },
  { later: [[40, office('/office/cancel')]] },
  { card: 'amex' },
  { card: 'renewalNoFunds' },
  { order: { product_ids: '35' }, later: [[12, refund('25.00', 'The welcome kit arrived damaged.')]] },
  {
    later: [
      [70, office('/office/cancel')],
      [75, office('/office/keep')],
    ],
  },
  { order: { product_ids: '36' } },
  { card: 'renewalStolen' },
  { later: [[50, bySupport('/console/members/hold', 'Travels for a while, asked by phone.')]] },
  { card: 'mastercard', later: [[33, refund('99.00', 'Charged after a cancellation by phone.')]] },
  { order: { special_product_ids: '51' } },
  { card: 'renewalDisputed' },
  { later: [[90, bySupport('/console/members/cancel', 'Asked by phone to cancel.')]] },
]

const cardNumbers: Record<NonNullable<Fate['card']>, string> = {
  ...cards,
  mastercard: '5555555555554444',
  amex: '378282246310005',
}

/** Shorter steps take longer to make. */
const STEP_DAYS = 3

type Progress = (text: string) => void

/** Makes business through the site's own calls, while its clock advances day by day until `end`. */
export async function makeYear(site: DemoSite, end: Date, size: Size, print: Progress): Promise<void> {
  const { world, clock } = site
  const start = clock.now()
  const year: Year = {
    site,
    support: await hire(site, 'Sam Ortiz', 'support'),
    finance: await hire(site, 'Lee Novak', 'finance'),
  }
  await hire(site, 'Robin Hale', 'owner')
  await hire(site, 'Kim Alvarez', 'manager')
  await hire(site, 'Pat Weber', 'viewer')
  const members: Member[] = []
  const planned: { day: number; act: Act; member: Member }[] = []
  for (let day = 0; day < size.days; day += STEP_DAYS) {
    const random = seededRandom(11, day)
    const noon = new Date(start.getTime() + day * DAY_MS + random.below(DAY_MS / 2))
    if (noon >= end) break
    if (noon > clock.now()) await advanceClock(world, clock, noon, { stepDays: STEP_DAYS })
    for (const { act, member } of planned.filter((plan) => plan.day >= day && plan.day < day + STEP_DAYS))
      await act(year, member)
    const goal = Math.round(size.members * ((day + STEP_DAYS) / size.days) ** 1.4) // business grows
    const visits = Array.from({ length: 2 + random.below(5) }, (_, n) =>
      lookAround(site, 1000 + day * 10 + n, siteToOpen(members, random)),
    )
    const joins = Array.from({ length: Math.min(goal, size.members) - members.length }, async (_, n) => {
      const number = members.length + n
      const fate = fates[number % fates.length] ?? {}
      const member = await join(site, personOf(number), siteToOpen(members, random), fate)
      return { member, plans: (fate.later ?? []).map(([after, act]) => ({ day: day + after, act, member })) }
    })
    await Promise.all(visits)
    for (const { member, plans } of await Promise.all(joins)) {
      members.push(member)
      planned.push(...plans)
    }
    if (day % 60 === 0 && day) print(`month ${day / 30} of 12: ${members.length} members`)
  }
  await advanceClock(world, clock, end)
}

/** Most come through a sponsor, and more and more through the few members who stay and share their link. */
function siteToOpen(members: Member[], random: ReturnType<typeof seededRandom>): string {
  const sponsors = ['ana', 'ana', 'bluepier', 'juniper', 'master']
  const busy = members.filter((_, number) => !Object.keys(fates[number % fates.length] ?? {}).length).slice(0, 5)
  return random.chance(busy.length / 12) ? random.pick(busy).username : random.pick(sponsors)
}

const sources = ['', '', '?utm_source=instagram', '?utm_source=newsletter', '?utm_source=qr', '?utm_source=google']

/** Somebody who opens a sponsor's page, and leaves again at some step. */
async function lookAround(site: DemoSite, number: number, sponsor: string) {
  const person = personOf(number)
  const { network, email } = person
  const random = seededRandom(13, number)
  const from = `/${sponsor}${random.pick(sources)}`
  const sending = { network, from, agent: random.chance(0.7) ? agents.phone : agents.desktop }
  const { cookie } = await site.open(from, sending)
  await site.open(`${API}${calls.hitPage.path.replace(':sponsor_site', sponsor)}`, { ...sending, cookie })
  if (random.chance(0.6)) await reportMessage(site, { ...sending, cookie }, random.pick(stumblingBlocks))
  if (random.chance(0.6)) return
  await site.call(calls.validateEmail.path, { ...sending, cookie, body: { email } })
  if (random.chance(0.7)) return
  const body = await formOf(site, person, sponsor, { card: 'declined' })
  await site.post(calls.addEnrollment.path, { ...sending, cookie, body })
}

/** What the form tells visitors, the more often the earlier a field comes. */
const stumblingBlocks: [field: string, message: string][] = [
  ...[1, 2, 3, 4, 5].map((): [string, string] => ['mobile_phone', 'Invalid mobile phone number format.']),
  ...[1, 2].map((): [string, string] => ['email', 'Invalid email format.']),
  ['email', 'This email address is already registered.'],
  ['username', 'This username is already taken.'],
  ['password', passwordMessages.common],
  ['cc_number', 'Invalid credit card number format.'],
  ['agreement_1', 'Please confirm all the agreements.'],
]

/** The page reports it without what was entered. */
const reportMessage = (site: DemoSite, sending: Sending, [field, message]: (typeof stumblingBlocks)[number]) =>
  site.call(messageReports.path, { ...sending, body: { messages: [{ field, message: messageKey(message) }] } })

/** Of every member of the demo. */
export const PASSWORD = 'Open-Sesame-7'

/** The form as the page sends it. */
async function formOf(
  site: DemoSite,
  { network, ...details }: Person,
  sponsor: string,
  { card = 'good', order }: Fate,
) {
  const year = site.world.now().getUTCFullYear()
  return {
    ...details,
    sponsor_site_name: sponsor,
    product_ids: '34',
    ...order,
    password: PASSWORD,
    agreement_1: '1',
    agreement_2: '1',
    agreement_3: '0',
    captcha: await site.captcha(network),
    cc_number: cardNumbers[card],
    cc_month: '11',
    cc_year: String(year + 3),
    cc_cvv: card === 'amex' ? '1234' : '123',
  }
}

async function join(site: DemoSite, person: Person, sponsor: string, fate: Fate) {
  const sending = { network: person.network, from: `/${sponsor}`, agent: agents.phone }
  const { cookie } = await site.open(sending.from, sending)
  await site.open(`${API}${calls.hitPage.path.replace(':sponsor_site', sponsor)}`, { ...sending, cookie })
  await site.call(calls.validateEmail.path, { ...sending, cookie, body: { email: person.email } })
  const body = await formOf(site, person, sponsor, fate)
  const { json } = await site.call(calls.addEnrollment.path, { ...sending, cookie, body })
  if (json.payment !== 'Approved') throw new Error(`The demo could not join: ${JSON.stringify(json)}`)
  const { id } = await site.world.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', person.username)
    .executeTakeFirstOrThrow()
  return { ...person, id }
}
