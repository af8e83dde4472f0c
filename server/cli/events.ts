import type { Db } from '#server/db/db.ts'
import { limitKeys } from '#server/http/address.ts'
import { claimValue } from '#server/members/claims.ts'
import { OperatorError } from '#server/operator-error.ts'
import { eventKinds, isEventKind, networkHashes } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { at, table } from './listings.ts'

/** What to show of the security log, as the operator typed it. */
export type EventFilter = Partial<Record<(typeof eventOptions)[number], string>>
export const eventOptions = ['member', 'kind', 'since', 'until', 'address', 'limit'] as const

const MAX_EVENTS = 200

/** '2026-11-17', or with a time: '2026-11-17T09:30'. Without a zone it is UTC, like the times in the list. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** Throws a sentence if a filter is not valid. Nothing is read from the database for that. */
export function parseFilter({ member, kind, since, until, address, limit }: EventFilter) {
  if (kind !== undefined && !isEventKind(kind))
    throw new OperatorError(`'${kind}' is not a kind of event. There are: ${Object.keys(eventKinds).join(', ')}.`)
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) throw new OperatorError(`--limit=${limit} is not a number.`)
  const times = { since: since && parseTime(since), until: until && parseTime(until) }
  return { member, kind, address, limit: Number(limit ?? MAX_EVENTS), ...times }
}

function parseTime(text: string): Date {
  const time = new Date(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}${text.includes('T') ? '' : 'T00:00'}Z`)
  if (!TIME.test(text) || Number.isNaN(time.getTime()))
    throw new OperatorError(`'${text}' is not a time. Write it like 2026-11-17 or 2026-11-17T09:30.`)
  return time
}

/** Events, newest first. `since` is included, `until` is not. */
export async function listEvents(db: Db, keys: World['keys'], filter: ReturnType<typeof parseFilter>) {
  const { member, kind, since, until, address, limit } = filter
  let query = db
    .selectFrom('security_event')
    .leftJoin('member', 'member.id', 'security_event.member_id')
    .leftJoin('staff', 'staff.id', 'security_event.staff_id')
    .select(['security_event.position', 'at', 'last_at', 'kind', 'security_event.member_id', 'username'])
    .select(['staff.email as staff', 'network', 'details', 'count'])
    .orderBy('at', 'desc')
    .orderBy('security_event.id')
    .limit(limit)
  if (member !== undefined) query = query.where('security_event.member_id', '=', await memberIdOf(db, member))
  if (kind) query = query.where('kind', '=', kind)
  if (since) query = query.where('last_at', '>=', since)
  if (until) query = query.where('at', '<', until)
  if (address !== undefined) query = query.where('network', 'in', networkHashes(keys, limitKeys(address)))
  return query.execute()
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** By id, or by a username that this member has or had. */
async function memberIdOf(db: Db, text: string): Promise<string> {
  if (UUID.test(text)) return text
  const member = await db
    .selectFrom('member')
    .innerJoin('claim', 'claim.enrollment_id', 'member.enrollment_id')
    .select('member.id')
    .where('claim.kind', '=', text.includes('@') ? 'email' : 'username')
    .where('claim.value', '=', claimValue(text))
    .executeTakeFirst()
  if (!member) throw new OperatorError(`There is no member '${text}'.`)
  return member.id
}

type Events = Awaited<ReturnType<typeof listEvents>>

/** One line of JSON for each event. */
export const eventsAsJson = (events: Events): string =>
  events.map((event) => JSON.stringify({ ...event, details: JSON.parse(event.details) })).join('\n')

export const eventsAsTable = (events: Events): string =>
  table(
    ['at', 'event', 'member', 'count', 'network', 'details'],
    events.map(({ kind, username, member_id, staff, network, details, count, ...event }) => [
      at(event.at),
      isEventKind(kind) ? eventKinds[kind].text : kind,
      username ?? staff ?? member_id,
      count === 1 ? null : count,
      network?.slice(0, 8) ?? null,
      factsAsText(JSON.parse(details)),
    ]),
  )

const factsAsText = (facts: Record<string, unknown>) =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
