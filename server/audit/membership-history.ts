import type { Db } from '#server/db/db.ts'

/** What can happen to a membership, as staff read it in the timeline. */
export const membershipEvents = {
  canceled: 'Canceled the membership',
  cancellation_undone: 'Undid the cancellation',
  on_hold: 'Membership put on hold',
  on_hold_dispute: 'Membership put on hold: a payment is disputed',
  hold_released: 'Hold released',
  ended: 'The membership ended',
  returned: 'Came back',
} as const
export type MembershipEvent = keyof typeof membershipEvents
export const isMembershipEvent = (name: string): name is MembershipEvent => Object.hasOwn(membershipEvents, name)

/** Remembers it after the membership's row has changed again. Written with the change, or not at all. */
export const recordMembershipEvent = async (
  db: Db,
  member_id: string,
  what: MembershipEvent,
  at: Date,
): Promise<void> => {
  await db
    .insertInto('member_event')
    .values({ member_id, at, kind: 'membership', what })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
