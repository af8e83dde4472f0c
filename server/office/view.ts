import { sql } from 'kysely'
import { nextUsernameChange } from '#contract/office/address.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { addDays, mondayOf } from '#contract/renewal.ts'
import { brandOf, shownOperator } from '#server/brand/brand.ts'
import { captchaOf } from '#server/gateways/captcha/port.ts'
import { findNewestLink } from '#server/members/email-links.ts'
import { pendingPhone } from '#server/members/phone.ts'
import { paidRenewals } from '#server/membership/charges.ts'
import { creditNotesOf } from '#server/membership/credit-notes.ts'
import { findReceipt } from '#server/membership/receipt.ts'
import { membershipSummary } from '#server/membership/summary.ts'
import { Refusal } from '#server/refusal.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { proofSeconds } from './card.ts'
import { statusOf } from './status.ts'

/** Everything a member sees in the office. Without `signed_in_at` the sign-in isn't recent. */
export async function viewOffice(world: World, member_id: string, signed_in_at = new Date(0)): Promise<OfficeView> {
  const member = await findMember(world, member_id)
  const [brand, membership, renewals, receipt, credit_notes, accepted, chart, referrals, emailLink] = await Promise.all(
    [
      brandOf(world),
      membershipSummary(world, member_id),
      paidRenewals(world, member_id),
      findReceipt(world, member_id),
      creditNotesOf(world, member_id),
      acceptedTitles(world, member_id),
      weeklyChart(world, member),
      referralsOf(world, member),
      findNewestLink(world, 'email', member_id),
    ],
  )
  const { first_name, last_name, business_name, username, email, mobile_phone, sponsor_name } = member
  const withNotes = <Charge extends { reference: string }>(charge: Charge) => ({
    ...charge,
    credit_notes: credit_notes.get(charge.reference) ?? [],
  })
  const unconfirmed_phone = pendingPhone(world, member)
  const username_fixed_until =
    member.username_changed_at && nextUsernameChange(dayOf(world, member.username_changed_at))
  return {
    first_name,
    last_name,
    business_name,
    ...(member.picture_url ? { picture_url: member.picture_url } : {}),
    username,
    ...(username_fixed_until && username_fixed_until > todayOf(world) ? { username_fixed_until } : {}),
    email,
    ...(emailLink?.email ? { unconfirmed_email: emailLink.email } : {}),
    is_email_confirmed: member.email_confirmed_at !== null,
    ...emailNotice(world, member),
    mobile_phone,
    ...(unconfirmed_phone ? { unconfirmed_phone } : {}),
    link: linkTo(world, member),
    join_emails: member.join_emails,
    renewal_emails: member.renewal_emails,
    joined_on: dayOf(world, member.joined_at),
    sponsor_name,
    proof_seconds: proofSeconds(world, signed_in_at),
    status: statusOf(membership),
    membership,
    renewals: renewals.map(withNotes),
    ...captchaOf(world.captcha),
    ...(receipt ? { receipt: withNotes(receipt) } : {}),
    operator: shownOperator(world, brand),
    accepted,
    ...chart,
    brought: referrals,
  }
}

/** Days after joining on which the office asks to confirm the address. Later only the details say that it is not confirmed. */
const ASKING_DAYS = 30

function emailNotice({ now }: World, member: Member): Pick<OfficeView, 'email_notice'> {
  if (member.email_bounced_at) return { email_notice: 'undeliverable' }
  const isNew = now().getTime() - member.joined_at.getTime() < ASKING_DAYS * DAY_MS
  return !member.email_confirmed_at && isNew ? { email_notice: 'unconfirmed' } : {}
}

/** A member's link, for the QR code. */
export const linkOf = async (world: World, member_id: string) => linkTo(world, await findMember(world, member_id))

const linkTo = ({ config }: World, { own_site, username }: Member) => `${config.PUBLIC_URL}/${own_site ?? username}`

/** A member with their sponsor and their own site, which an operator may have renamed. */
const findMember = ({ db }: World, member_id: string) =>
  db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .leftJoin('sponsor as own', (join) =>
      join.onRef('own.member_id', '=', 'member.id').on('own.renamed_to', 'is', null),
    )
    .select(['first_name', 'last_name', 'business_name', 'username', 'username_changed_at', 'email', 'mobile_phone'])
    .select(['joined_at', 'join_emails', 'renewal_emails', 'email_confirmed_at', 'email_bounced_at'])
    .select(['unconfirmed_phone', 'unconfirmed_phone_at'])
    .select(['member.id', 'sponsor.name as sponsor_name', 'own.site as own_site', 'own.picture_url'])
    .where('member.id', '=', member_id)
    .executeTakeFirstOrThrow()
type Member = Awaited<ReturnType<typeof findMember>>

async function acceptedTitles(world: World, member_id: string): Promise<OfficeView['accepted']> {
  const accepted = await world.db
    .selectFrom('acceptance')
    .select(['title', 'version', 'sha256', 'accepted_at'])
    .where('member_id', '=', member_id)
    .orderBy('agreement')
    .orderBy('title')
    .execute()
  return accepted.map(({ accepted_at, ...text }) => ({ ...text, accepted_on: dayOf(world, accepted_at) }))
}

/** The exact text with this hash, if the member accepted it. */
export async function acceptedText({ db }: World, member_id: string, sha256: string): Promise<{ content: string }> {
  const text = await db
    .selectFrom('acceptance')
    .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
    .select('content')
    .where('member_id', '=', member_id)
    .where('acceptance.sha256', '=', sha256)
    .executeTakeFirst()
  if (!text) throw new Refusal(404, 'You have not accepted this text.')
  return text
}

const CHART_WEEKS = 12
const DAY_MS = 86_400_000

/** Visits and joins through the member's link: by week, starting on Monday, and in total. */
async function weeklyChart(world: World, { id }: Member) {
  const ownSites = sql`sponsor where member_id = ${id}`
  const [visits, joins] = await Promise.all([
    countByWeek(
      world,
      sql`select day, visits as count from page_day where site in (select site from ${ownSites})
        union all select day, 1 from page_hit where site in (select site from ${ownSites})`,
    ),
    countByWeek(
      world,
      sql`select joined_at at time zone ${world.config.TIME_ZONE} as day, 1 as count from member
        where sponsor_id in (select id from ${ownSites})`,
    ),
  ])
  const monday = mondayOf(todayOf(world))
  const weeks = Array.from({ length: CHART_WEEKS }, (_, week) => {
    const from = addDays(monday, -7 * (CHART_WEEKS - 1 - week))
    return { from, visits: visits.get(from) ?? 0, joins: joins.get(from) ?? 0 }
  })
  return { weeks, totals: { visits: sum(visits), joins: sum(joins) } }
}

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0)

/** Sums up rows with a day and a count. */
async function countByWeek({ db }: World, query: ReturnType<typeof sql>) {
  const { rows } = await sql<{ monday: string; count: number }>`
    select to_char(date_trunc('week', cast(day as timestamp)), 'YYYY-MM-DD') as monday, cast(sum(count) as integer) as count
    from (${query}) counted group by 1`.execute(db)
  return new Map(rows.map(({ monday, count }) => [monday, count]))
}

const MAX_REFERRALS = 50

/** The newest referrals: names and dates only, for privacy. */
async function referralsOf(world: World, { id }: Member): Promise<OfficeView['brought']> {
  const members = await world.db
    .selectFrom('member')
    .select(['first_name', 'last_name', 'joined_at'])
    .where('sponsor_id', 'in', (query) =>
      query.selectFrom('sponsor').select('sponsor.id').where('sponsor.member_id', '=', id),
    )
    .orderBy('joined_at', 'desc')
    .limit(MAX_REFERRALS)
    .execute()
  return members.map(({ first_name, last_name, joined_at }) => ({
    name: `${first_name} ${last_name}`,
    joined_on: dayOf(world, joined_at),
  }))
}
