import { sql } from 'kysely'
import type { StaffList } from '#contract/console/access.ts'
import { mayDo, type Role } from '#contract/console/permissions.ts'
import { type Actor, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { closeSessions } from './session.ts'

/** The people who work for the operator. */
export async function listStaff(world: Pick<World, 'config' | 'db' | 'now'>, ownId?: string): Promise<StaffList> {
  const { db, now } = world
  const staff = await db
    .selectFrom('staff')
    .select(({ selectFrom }) => [
      ...(['id', 'name', 'email', 'role', 'created_at', 'password_hash'] as const),
      selectFrom('staff_passkey')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('staff_id', '=', 'staff.id')
        .as('passkeys'),
      selectFrom('audit')
        .select(({ fn }) => fn.max('at').as('at'))
        .whereRef('staff_id', '=', 'staff.id')
        .as('seen_at'),
    ])
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .execute()
  const invitations = await db
    .selectFrom('staff_invitation')
    .select(['id', 'email', 'role', 'expires_at'])
    .where('expires_at', '>', now())
    .where('email', 'is not', null)
    .orderBy('created_at')
    .execute()
  return {
    staff: staff.map(({ id, name, email, role, created_at, password_hash, passkeys, seen_at }) => ({
      id,
      name,
      email,
      role,
      joined_on: dayOf(world, created_at),
      passkeys: Number(passkeys),
      has_password: password_hash !== null,
      is_you: id === ownId,
      ...(seen_at ? { seen_at: seen_at.toISOString() } : {}),
    })),
    invitations: invitations.map(({ id, email, role, expires_at }) => ({
      id,
      email: email ?? '',
      role,
      expires_at: expires_at.toISOString(),
    })),
  }
}

/** Locked in the same order by everyone, so that two owners cannot remove each other at once. */
async function lockOwners(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from staff where role = 'owner' and removed_at is null order by id for update`.execute(db)
  return rows.map(({ id }) => id)
}

const LAST_OWNER = 'This is the only owner. Make someone else an owner first.'

async function lockColleague(db: Db, id: string) {
  const owners = await lockOwners(db)
  const colleague = await db
    .selectFrom('staff')
    .select(['id', 'role'])
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!colleague) throw new Refusal(404, 'This person no longer has access.')
  return { ...colleague, isOnlyOwner: owners.length === 1 && owners[0] === id }
}

export const changeRole = (world: World, { id, role }: { id: string; role: Role }, actor: Actor): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const colleague = await lockColleague(db, id)
    if (colleague.role === role) return
    if (colleague.isOnlyOwner) throw new Refusal(409, LAST_OWNER)
    await db.updateTable('staff').set({ role }).where('id', '=', id).execute()
    if (!mayDo(role, 'manage_staff')) await voidInvitations({ ...world, db }, id, actor)
    await recordAction(
      { ...world, db },
      {
        act: 'change_role',
        actor,
        subject_kind: 'staff',
        subject: id,
        before: { role: colleague.role },
        after: { role },
      },
    )
  })

/** Ends all sessions and deletes every way in. The row stays for the audit log. */
export const removeStaff = (
  world: World,
  { id, mayBeLastOwner = false }: { id: string; mayBeLastOwner?: boolean },
  actor: Actor,
): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const colleague = await lockColleague(db, id)
    if (colleague.isOnlyOwner && !mayBeLastOwner) throw new Refusal(409, LAST_OWNER)
    await closeSessions(db, id)
    await voidInvitations({ ...world, db }, id, actor)
    for (const table of ['staff_passkey', 'staff_recovery'] as const)
      await db.deleteFrom(table).where('staff_id', '=', id).execute()
    await db
      .updateTable('staff')
      .set({ removed_at: world.now(), password_hash: null, totp_sealed: null })
      .where('id', '=', id)
      .execute()
    await recordAction(
      { ...world, db },
      { act: 'remove_staff', actor, subject_kind: 'staff', subject: id, before: { role: colleague.role } },
    )
  })

/** An invitation is valid only while its inviter may invite. */
async function voidInvitations(world: World, invited_by: string, actor: Actor): Promise<void> {
  const invitations = await world.db
    .deleteFrom('staff_invitation')
    .where('invited_by', '=', invited_by)
    .returning(['id', 'role'])
    .execute()
  for (const { id, role } of invitations)
    await recordAction(world, {
      act: 'withdraw_invitation',
      actor,
      subject_kind: 'invitation',
      subject: id,
      before: { role },
    })
}

export const withdrawInvitation = (world: World, { id }: { id: string }, actor: Actor): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const row = await db.deleteFrom('staff_invitation').where('id', '=', id).returning('role').executeTakeFirst()
    if (!row) throw new Refusal(404, 'This invitation was already used or withdrawn.')
    await recordAction(
      { ...world, db },
      { act: 'withdraw_invitation', actor, subject_kind: 'invitation', subject: id, before: { role: row.role } },
    )
  })
