import { type OperatorNames, operatorNames, publicName, rejectMisleadingNames } from '#server/brand/public-names.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import type { World } from '#server/world/world.ts'
import { requireDisplayedMember } from './session.ts'

type NameChange = { username: string; first_name: string; last_name: string; business_name: string }

/** Changes the name, also as visitors see it. What was signed before keeps the old one. */
export async function changeName(
  world: World,
  { username, ...names }: NameChange,
  visitor: MemberBrowser,
): Promise<string> {
  const { id } = await requireDisplayedMember(world, { username }, visitor)
  const ours = await operatorNames(world)
  await inTransaction(world.db, (db) => setName({ ...world, db }, id, names, ours))
  return id
}

/** Call it in a transaction. A name that pretends to be the operator's, or carries contact data, is refused. */
export async function setName(
  { db, now }: Pick<World, 'db' | 'now'>,
  id: string,
  names: Omit<NameChange, 'username'>,
  ours: OperatorNames,
): Promise<void> {
  rejectMisleadingNames(names, ours)
  const member = await db
    .selectFrom('member')
    .select(['username', 'first_name', 'last_name', 'business_name', 'joined_first_name', 'joined_last_name'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const joined_first_name = member.joined_first_name ?? member.first_name
  const joined_last_name = member.joined_last_name ?? member.last_name
  const change = { ...names, joined_first_name, joined_last_name }
  await db.updateTable('member').set(change).where('id', '=', id).execute()
  await keepSponsorName(db, id)
  await db
    .updateTable('sponsor')
    .set({ name: publicName({ ...names, username: member.username }, ours) })
    .where('member_id', '=', id)
    .execute()
  const fields = (['first_name', 'last_name', 'business_name'] as const).filter((name) => names[name] !== member[name])
  if (fields.length) await addEvent(db, now(), { type: 'member.changed', member_id: id, payload: { fields } })
}

/** Those who joined through this member keep the name of that day. */
async function keepSponsorName(db: Db, member_id: string) {
  const ownSites = db.selectFrom('sponsor').select('sponsor.id').where('member_id', '=', member_id)
  for (const joinedThrough of ['member.sponsor_id', 'member.joined_sponsor_id'] as const) {
    const update = db
      .updateTable('member')
      .from('sponsor')
      .set(({ ref }) => ({ joined_sponsor_name: ref('sponsor.name') }))
      .whereRef('sponsor.id', '=', joinedThrough)
      .where(joinedThrough, 'in', ownSites)
      .where('joined_sponsor_name', 'is', null)
    await (joinedThrough === 'member.sponsor_id' ? update.where('joined_sponsor_id', 'is', null) : update).execute()
  }
}
