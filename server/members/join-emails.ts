import { statement } from '#server/db/statement.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import type { World } from '#server/world/world.ts'
import { requireDisplayedMember } from './session.ts'

/** The email that tells a member that somebody joined through their link, and how it is switched off. */

/** A new member and the member who referred them; undefined if the sponsor is not a member. */
export const findReferral = async ({ db }: Pick<World, 'db'>, member_id: string) =>
  (await selectReferral(db, { member_id })).rows[0]

const selectReferral = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('member as referral')
    .innerJoin('sponsor', 'sponsor.id', 'referral.sponsor_id')
    .innerJoin('member', 'member.id', 'sponsor.member_id')
    .select(['referral.first_name as referral_name', 'referral.joined_at'])
    .select(['member.id', 'member.email', 'member.first_name', 'member.email_confirmed_at', 'member.join_emails'])
    .where('referral.id', '=', member_id),
)

type Choice = { username: string; join_emails: boolean }

/** Switches the email on or off. */
export async function changeJoinEmails(world: World, { join_emails, ...displayed }: Choice, visitor: MemberBrowser) {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await setJoinEmails(world, id, join_emails)
  return id
}

const setJoinEmails = ({ db }: Pick<World, 'db'>, id: string, join_emails: boolean) =>
  db.updateTable('member').set({ join_emails }).where('id', '=', id).execute()

/** The link in the email. It works without signing in, and never expires: it can only switch this email off. */
export const unsubscribeUrl = ({ config, keys }: Pick<World, 'config' | 'keys'>, member_id: string): string =>
  `${config.PUBLIC_URL}/office/unsubscribe/${member_id}.${keys.hmac('unsubscribe', member_id)}`

/** The member whose link this is. */
export function memberOfUnsubscribeToken({ keys }: Pick<World, 'keys'>, token: string): string | undefined {
  const [member_id = '', signature = ''] = token.split('.')
  return keys.isHmac('unsubscribe', member_id, signature) ? member_id : undefined
}

/** False: the token is not one of ours. */
export async function unsubscribe(world: World, token: string): Promise<boolean> {
  const member_id = memberOfUnsubscribeToken(world, token)
  if (member_id) await setJoinEmails(world, member_id, false)
  return member_id !== undefined
}
