import { sql } from 'kysely'
import type { Attempt } from '#contract/console/members.ts'
import { toAmount } from '#contract/money.ts'
import type { Details, PaymentState } from '#server/db/tables.ts'
import type { World } from '#server/world/world.ts'
import { brandName } from './member-list.ts'
import { showDecline } from './member-rows.ts'
import { textOf } from './member-search.ts'

const MAX_ATTEMPTS = 50
/** How many open payments to search, newest first. */
const MAX_OPEN = 500

type Row = {
  reference: string
  created_at: Date
  state: PaymentState
  amount_cents: number
  details: Details | null
  card_brand: string | null
  card_last_four: string | null
  decline_class: string | null
  issuer_code: string | null
}

const attempts = sql`
  select reference, payment.created_at, payment.state, amount_cents, details, payment.card_brand, payment.card_last_four,
    decline_class, issuer_code
  from payment`
const didNotJoin = sql`not exists (select from member where member.enrollment_id = payment.enrollment_id)`

/**
 * Payments of people who didn't become members. Their names are deleted when a payment ends, so a name finds only open
 * payments; a reference or a card finds the others.
 */
export async function findAttempts({ db }: Pick<World, 'db'>, search: string): Promise<Attempt[]> {
  const text = textOf(search).toLowerCase()
  if (!text) return []
  const digits = text.replace(/[\s().+-]/g, '')
  const isReference = /^[\w.-]{15,60}$/.test(text)
  const queries = [
    ...(/^\d{4}$/.test(text)
      ? [sql<Row>`${attempts} where payment.card_last_four = ${text} and ${didNotJoin} limit ${sql.lit(MAX_ATTEMPTS)}`]
      : []),
    ...(isReference ? [sql<Row>`${attempts} where reference = ${text} and ${didNotJoin}`] : []),
    ...(isReference ? [sql<Row>`${attempts} where transaction_id = ${textOf(search)} and ${didNotJoin}`] : []),
  ]
  const [open, ...found] = await Promise.all([openAttempts(db), ...queries.map((query) => query.execute(db))])
  const fitting = open.filter(({ details }) => details && fits(details.member, text, digits))
  const rows = new Map([...fitting, ...found.flatMap(({ rows }) => rows)].map((row) => [row.reference, row]))
  return [...rows.values()]
    .sort((a, b) => b.created_at.getTime() - a.created_at.getTime())
    .slice(0, MAX_ATTEMPTS)
    .map(toAttempt)
}

const openAttempts = async (db: World['db']): Promise<Row[]> => {
  const { rows } = await sql<Row>`${attempts}
    where payment.state in ('reserved', 'authorizing', 'authorized', 'unknown', 'review') and details is not null
    order by leased_until desc limit ${sql.lit(MAX_OPEN)}`.execute(db)
  return rows
}

/** The same beginnings as in the list of members. */
function fits(member: Details['member'], text: string, digits: string): boolean {
  const { first_name, last_name, email, username, business_name, city, post_code, mobile_phone } = member
  const texts = [first_name, last_name, `${first_name} ${last_name}`, `${last_name} ${first_name}`, email, username]
  const isPhone = /^\d{4,}$/.test(digits) && mobile_phone.replace(/\D/g, '').includes(digits)
  return (
    isPhone ||
    [...texts, ...email.split(/[@._+-]/), business_name, city, post_code].some((each) =>
      each.toLowerCase().startsWith(text),
    )
  )
}

function toAttempt({ details, created_at, amount_cents, card_brand, card_last_four, ...row }: Row): Attempt {
  const { reference, state, decline_class, issuer_code } = row
  const person = details?.member
  return {
    reference,
    state,
    at: created_at.toISOString(),
    amount: toAmount(amount_cents),
    ...(person
      ? {
          person: {
            name: `${person.first_name} ${person.last_name}`,
            email: person.email,
            mobile_phone: person.mobile_phone,
          },
        }
      : {}),
    ...(card_last_four ? { card: { brand: brandName(card_brand), last_four: card_last_four } } : {}),
    ...(decline_class ? { decline: showDecline(decline_class, issuer_code) } : {}),
  }
}
