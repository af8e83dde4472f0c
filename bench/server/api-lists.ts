import { randomUUID } from 'node:crypto'
import { V1 } from '#contract/connect/api.ts'
import { scopeNames } from '#contract/connect/keys.ts'
import { newKey } from '#server/connect/keys/key-format.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { withClient } from './database.ts'
import { copiedIdOf, type ModelMember } from './population.ts'

/** What a query of the API's lists needs. */
export type ApiCaller = { key: string; memberId: (n: number) => string }

type Ask = (caller: ApiCaller, n: number) => string

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const list = (name: string, query: Record<string, string> = {}) => `${V1}/${name}?${new URLSearchParams(query)}`
const line = (id: string, query: Record<string, string>) => list(`members/${id}/line`, query)

/** A member close to this one who has been one for two months or more. */
const settled = (n: number) => {
  const days = n % 730
  if (days >= 60) return n
  return n < 60 ? n + 60 : n - 60
}

/** Every list of the API, for the n-th member. */
export const apiLists: Record<string, Ask> = {
  'API: members, oldest first': () => list('members'),
  'API: members, newest first': () => list('members', { order: 'newest' }),
  'API: members past due': () => list('members', { state: 'past_due' }),
  'API: members on hold': () => list('members', { state: 'on_hold' }),
  'API: members that ended': () => list('members', { state: 'ended' }),
  'API: members of a sponsor': (_, n) => list('members', { sponsor: `m${Math.max(1, Math.floor(n / 3))}` }),
  'API: members of some weeks': () => list('members', { joined_from: daysAgo(100), joined_to: daysAgo(60) }),
  'API: member by email': (_, n) => list('members', { email: `m${n}@mail.example` }),
  'API: member by username': (_, n) => list('members', { username: `m${n}` }),
  'API: member': ({ memberId }, n) => `${V1}/members/${memberId(n)}`,
  'API: payments': () => list('payments'),
  'API: payments, newest first': () => list('payments', { order: 'newest' }),
  'API: payments of a member': ({ memberId }, n) => list('payments', { member_id: memberId(n) }),
  'API: payments of some weeks': () => list('payments', { created_from: daysAgo(100), created_to: daysAgo(60) }),
  'API: sponsors': () => list('sponsors'),
  'API: sponsors of members': () => list('sponsors', { kind: 'member' }),
  'API: sponsors of the operator': () => list('sponsors', { kind: 'operator' }),
  'API: a sponsor': (_, n) => list('sponsors', { site: `m${n}` }),
  'API: packages': () => list('packages'),
  'API: line above a member': ({ memberId }, n) => line(memberId(n), { direction: 'up', depth: '5' }),
  'API: line below the first member': ({ memberId }) => line(memberId(1), { direction: 'down', depth: '5' }),
  'API: line above, a month ago': ({ memberId }, n) =>
    line(memberId(settled(n)), { direction: 'up', depth: '5', on: daysAgo(30) }),
  'API: line below the first member, yesterday': ({ memberId }) =>
    line(memberId(1), { direction: 'down', depth: '5', on: daysAgo(1) }),
}

/** A key with every scope, and the ids of the members that population.ts has made. */
export const apiCaller = (database: Workspace, { enrollment_id }: ModelMember): Promise<ApiCaller> =>
  withClient(database, async (client) => {
    const key = newKey()
    await client.query(
      `insert into api_key (id, name, key_hash, ending, scopes, created_at) values ($1, 'Bench', $2, $3, $4, now())`,
      [randomUUID(), sha256(key), key.slice(-4), scopeNames],
    )
    const { rows } = await client.query<{ id: string }>('select id from member where enrollment_id = $1', [
      enrollment_id,
    ])
    const id = rows[0]?.id ?? ''
    return { key, memberId: (n) => copiedIdOf(id, n) }
  })
