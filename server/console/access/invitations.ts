import { randomBytes, randomUUID } from 'node:crypto'
import { mayDo, type Role } from '#contract/console/permissions.ts'
import type { PasskeyResponse } from '#contract/credentials.ts'
import { type Actor, recordAction } from '#server/audit/audit.ts'
import type { StaffBrowser } from '#server/console/access/browser.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { offerAppSecret } from '#server/members/credentials/authenticator-app.ts'
import { registrationOptions, verifyRegistration } from '#server/members/credentials/passkeys.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import { rejectGuessablePassword } from '#server/secrets/common-passwords.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { hashNetwork } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { passwordColumns, replaceRecoveryCodes } from './passwords.ts'
import { type Method, openSession, startSession, viewSession } from './session.ts'
import { storePasskey } from './staff-passkeys.ts'

/** Long enough for a weekend. */
const VALID_HOURS = 72

type Invitation = { email: string | null; role: Role; actor: Actor }

/** Writes an invitation and returns its link. The token is behind a #, so that no server or proxy logs it. */
export async function createInvitation(world: World, { email, role, actor }: Invitation): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const created_at = world.now()
  const row = {
    id: randomUUID(),
    key_hash: sha256(token),
    email,
    role,
    invited_by: actor.id,
    created_at,
    expires_at: new Date(created_at.getTime() + VALID_HOURS * 3_600_000),
  }
  await inTransaction(world.db, async (db) => {
    if (email) await refuseExistingStaff(db, email)
    await deleteInvitations(db, email)
    await db.insertInto('staff_invitation').values(row).execute()
    if (email)
      await recordAction(
        { ...world, db },
        { act: 'invite_staff', actor, subject_kind: 'invitation', subject: row.id, after: { role } },
      )
  })
  return `${world.config.PUBLIC_URL}/console/welcome#${token}`
}

/** A new invitation replaces the earlier one to the same address. */
const deleteInvitations = (db: Db, email: string | null) =>
  db
    .deleteFrom('staff_invitation')
    .where('email', email === null ? 'is' : '=', email)
    .execute()

async function refuseExistingStaff(db: Db, email: string) {
  const staff = await db
    .selectFrom('staff')
    .select('id')
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (staff) throw refuseField('email', 'This person has access already.')
}

export const hasStaff = async (db: Db): Promise<boolean> =>
  Boolean(await db.selectFrom('staff').select('id').where('removed_at', 'is', null).limit(1).executeTakeFirst())

/** A link for the first owner, while there is no staff. Whoever can read the terminal may use it. */
export const firstOwnerLink = async (world: World): Promise<string | undefined> =>
  (await hasStaff(world.db))
    ? undefined
    : createInvitation(world, { email: null, role: 'owner', actor: { id: null, role: 'command line' } })

const findInvitation = ({ db, now }: Pick<World, 'db' | 'now'>, token: string) =>
  db
    .selectFrom('staff_invitation')
    .selectAll()
    .where('key_hash', '=', sha256(token))
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** The inviter may still invite. Locked, so that an invitation isn't accepted while its inviter is being removed. */
async function isInviterAllowed(db: Db, invited_by: string | null): Promise<boolean> {
  if (!invited_by) return true // the command line
  const inviter = await db
    .selectFrom('staff')
    .select('role')
    .where('id', '=', invited_by)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  return inviter !== undefined && mayDo(inviter.role, 'manage_staff')
}

async function requireInvitation(world: Pick<World, 'db' | 'now'>, token: string): Promise<Tables['staff_invitation']> {
  const invitation = await findInvitation(world, token)
  if (!invitation || !(await isInviterAllowed(world.db, invitation.invited_by)))
    throw new Refusal(401, 'This link has expired or was already used. Ask an owner for a new invitation.')
  return invitation
}

export async function viewInvitation(world: World, { token }: { token: string }) {
  const { email, role } = await requireInvitation(world, token)
  return { role, ...(email ? { email } : {}) }
}

type Newcomer = { token: string; name: string; email: string }

/** A passkey made for one invitation cannot be used for another. */
const purposeOf = ({ id }: Pick<Tables['staff_invitation'], 'id'>) => `invitation ${id}`

export async function firstPasskeyOptions(world: World, { token, name, email }: Newcomer) {
  const invitation = await requireInvitation(world, token)
  return registrationOptions(world, { name, email: invitation.email ?? email, purpose: purposeOf(invitation) })
}

export async function firstAppSecret(world: World, { token, email }: Omit<Newcomer, 'name'>) {
  const invitation = await requireInvitation(world, token)
  return offerAppSecret(world, 'staff', invitation.email ?? email)
}

type WithPasskey = Newcomer & { response: PasskeyResponse }

export async function acceptWithPasskey(world: World, { response, ...newcomer }: WithPasskey, visitor: StaffBrowser) {
  const passkey = await verifyRegistration(world, response, purposeOf(await requireInvitation(world, newcomer.token)))
  return accept(world, newcomer, visitor, 'passkey', {}, async (world, staff_id) => {
    await storePasskey(world, staff_id, 'First passkey', passkey)
  }).then(({ session }) => session)
}

type WithPassword = Newcomer & { password: string; sealed: string; code: string }

export async function acceptWithPassword(world: World, input: WithPassword, visitor: StaffBrowser) {
  const { email } = await requireInvitation(world, input.token)
  rejectGuessablePassword(world, {
    password: input.password,
    email: email ?? input.email,
    username: '',
    first_name: input.name,
    last_name: '',
    business_name: '',
  })
  const columns = await passwordColumns(world, input)
  const { session, result } = await accept(world, input, visitor, 'password', columns, replaceRecoveryCodes)
  return { session, recovery_codes: result }
}

type NewStaffColumns = Partial<Awaited<ReturnType<typeof passwordColumns>>>

/** Of several requests with one link, the first makes the colleague and signs them in. */
async function accept<Result>(
  world: World,
  { token, name, email }: Newcomer,
  visitor: StaffBrowser,
  method: Method,
  columns: NewStaffColumns,
  finish: (world: World, staff_id: string) => Promise<Result>,
) {
  const id = randomUUID()
  const { staff, key, result } = await inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    const invitation = await requireInvitation(inner, token)
    const { numDeletedRows } = await db
      .deleteFrom('staff_invitation')
      .where('id', '=', invitation.id)
      .executeTakeFirst()
    const isStale = !numDeletedRows || (!invitation.email && (await hasStaff(db)))
    if (isStale) throw new Refusal(401, 'This link was already used. Ask an owner for a new invitation.')
    const staff = { id, email: invitation.email ?? email.toLowerCase(), name, role: invitation.role }
    await refuseExistingStaff(db, staff.email)
    await db
      .insertInto('staff')
      .values({ ...staff, ...columns, created_at: world.now() })
      .execute()
    const result = await finish(inner, id)
    const key = await openSession(inner, id, method)
    const { role } = staff
    await recordAction(inner, {
      act: 'accept_invitation',
      kind: 'security',
      actor: { id, role, network: hashNetwork(world.keys, visitor.address) },
      subject_kind: 'staff',
      subject: id,
      after: { role, method },
    })
    return { staff, key, result }
  })
  await startSession(world, visitor, id, key)
  return { session: await viewSession(world, { staff, method }), result }
}
