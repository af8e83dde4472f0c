import type { PasskeyResponse } from '#contract/credentials.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { recordAction } from '#server/audit/audit.ts'
import type { StaffBrowser } from '#server/console/access/browser.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { isOurFailure, Refusal } from '#server/refusal.ts'
import { hashNetwork, recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { tryPasswordAndCode } from './passwords.ts'
import {
  isTrusted,
  type Method,
  openSession,
  recordProof,
  type StaffSession,
  startSession,
  viewSession,
} from './session.ts'
import { staffSignInOptions, verifyStaffPasskey } from './staff-passkeys.ts'

type PasskeyInput = { response: PasskeyResponse }

export async function passkeyOptions(world: World, _input: object, visitor: StaffBrowser) {
  await countAgainstLimit(world, 'LIMIT_CHALLENGES', visitor.address)
  return staffSignInOptions(world)
}

export async function signInWithPasskey(world: World, input: PasskeyInput, visitor: StaffBrowser) {
  const { staff_id } = await tryPasskey(world, input, visitor)
  return enter(world, staff_id, 'passkey', visitor)
}

type PasswordInput = { email: string; password: string; code: string }

export async function signInWithPassword(world: World, input: PasswordInput, visitor: StaffBrowser) {
  const email = input.email.toLowerCase()
  const staff = await findCredentials(world.db, { email })
  const known_by =
    staff && isTrusted(world, staff.id, visitor) ? `browser ${visitor.trustedBrowser?.browser}` : undefined
  const isCorrect = await tryPasswordAndCode(world, { ...input, name: email }, staff, {
    address: visitor.address,
    known_by,
  })
  if (!staff || !isCorrect) throw new Refusal(401, 'Wrong email address, password or code.')
  return enter(world, staff.id, 'password', visitor)
}

/** Opens the session if nobody has removed this colleague meanwhile, and writes it down. */
async function enter(world: World, staff_id: string, method: Method, visitor: StaffBrowser) {
  const { staff, key } = await inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    const staff = await db
      .selectFrom('staff')
      .select(['id', 'name', 'email', 'role'])
      .where('id', '=', staff_id)
      .where('removed_at', 'is', null)
      .forShare()
      .executeTakeFirst()
    if (!staff) throw new Refusal(401, 'You no longer have access to the console.')
    const key = await openSession(inner, staff_id, method)
    await recordAction(inner, {
      act: 'sign_in',
      kind: 'security',
      actor: { ...staff, network: hashNetwork(world.keys, visitor.address) },
      subject_kind: 'staff',
      subject: staff_id,
      after: { method },
    })
    return { staff, key }
  })
  await startSession(world, visitor, staff_id, key)
  return viewSession(world, { staff, method })
}

/** Within the limit for failures. Each attempt counts as a failure until it succeeds. */
async function tryPasskey(world: World, { response }: PasskeyInput, visitor: StaffBrowser) {
  const failure = await countAgainstLimit(world, 'LIMIT_SIGN_INS', visitor.address)
  const giveBack = () => failure.giveBack().catch(() => undefined)
  const result = await verifyStaffPasskey(world, response).catch(async (error: unknown) => {
    if (isOurFailure(error)) await giveBack()
    throw error
  })
  if (!result) {
    await recordEvent(world, { kind: 'staff_sign_in_failed', address: visitor.address })
    throw new Refusal(401, 'This passkey is not known here. Use another one, or sign in with a password.')
  }
  await giveBack()
  return result
}

export async function proveWithPasskey(
  world: World,
  input: PasskeyInput,
  visitor: StaffBrowser,
  session: StaffSession,
): Promise<void> {
  const { staff_id } = await tryPasskey(world, input, visitor)
  if (staff_id !== session.staff.id) throw new Refusal(409, 'This passkey belongs to someone else.')
  await recordProof(world, session)
}

export async function proveWithPassword(
  world: World,
  input: { password: string; code: string },
  visitor: StaffBrowser,
  session: StaffSession,
): Promise<void> {
  const staff = await findCredentials(world.db, { id: session.staff.id })
  const by = { address: visitor.address, known_by: `session ${session.key_hash}` }
  if (!(await tryPasswordAndCode(world, { ...input, name: session.staff.email }, staff, by)))
    throw new Refusal(422, 'Wrong password or code.') // not 401: the session goes on
  await recordProof(world, session)
}

const findCredentials = (db: Db, by: { email: string } | { id: string }) => {
  const query = db
    .selectFrom('staff')
    .select(['id', 'password_hash', 'totp_sealed', 'totp_step'])
    .where('removed_at', 'is', null)
    .where('password_hash', 'is not', null)
  return ('email' in by ? query.where('email', '=', by.email) : query.where('id', '=', by.id)).executeTakeFirst()
}
