import { sql } from 'kysely'
import type { MemberState } from '#contract/console/member-page.ts'

/** The state that staff and other systems see. On hold comes first, because nothing is charged then. */
export const stateSql = sql<MemberState>`case
  when membership.state = 'ended' then 'ended'
  when on_hold_since is not null then 'on_hold'
  when membership.state = 'past_due' then 'past_due'
  when cancelled_at is not null then 'canceled'
  else 'active' end`
