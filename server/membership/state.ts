import { sql } from 'kysely'
import type { MemberState } from '#contract/console/member-page.ts'
import type { Tables } from '#server/db/tables.ts'

/** The state that staff and other systems see. On hold comes first, because nothing is charged then. */
export const stateSql = sql<MemberState>`case
  when membership.state = 'ended' then 'ended'
  when on_hold_since is not null then 'on_hold'
  when membership.state = 'past_due' then 'past_due'
  when cancelled_at is not null then 'canceled'
  else 'active' end`

export type StateColumns = Pick<Tables['membership'], 'state' | 'on_hold_since'> & { cancelled_at: Date | null }

/** The same for rows already read. */
export function seenState({ state, on_hold_since, cancelled_at }: StateColumns): MemberState {
  if (state === 'ended') return 'ended'
  if (on_hold_since) return 'on_hold'
  if (state === 'past_due') return 'past_due'
  return cancelled_at ? 'canceled' : 'active'
}
