import type { Bounce } from '#server/db/tables.ts'
import type { World } from '#server/world/world.ts'
import { claimValue } from './claims.ts'

/** Notes that the mail server has refused an address for good, if it is a member's. It is cleared by a confirmation. */
export async function noteBounce({ db, now }: World, address: string, email_bounce: Bounce): Promise<void> {
  await db
    .updateTable('member')
    .from('claim')
    .set({ email_bounced_at: now(), email_bounce })
    .whereRef('claim.enrollment_id', '=', 'member.enrollment_id')
    .where('claim.kind', '=', 'email')
    .where('claim.value', '=', claimValue(address))
    .where('email', '=', address) // an address that was changed meanwhile is not this one
    .execute()
}
