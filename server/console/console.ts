import type * as z from 'zod/mini'
import { type ConsoleCalls, consoleCalls } from '#contract/console/console.ts'
import {
  type ConsoleCall,
  isAboutMembers,
  mayDo,
  type Permission,
  PROOF_NEEDED,
  permissions,
} from '#contract/console/permissions.ts'
import { countAgainstLimits, type LimitUse } from '#server/abuse/limits.ts'
import { keptElsewhere } from '#server/config/operator.ts'
import type { StaffBrowser } from '#server/console/access/browser.ts'
import type { Handlers } from '#server/http/handlers.ts'
import { OperatorError } from '#server/operator-error.ts'
import { isOurFailure, Refusal } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { findSession, type StaffSession } from './access/session.ts'
import { warnOf } from './access/warnings.ts'

/** A request to the console, after its permission was checked. */
export type Request<Session = StaffSession> = { world: World; visitor: StaffBrowser; session: Session }

type SessionOf<Call extends ConsoleCall> = Call['permission'] extends 'anyone' ? StaffSession | undefined : StaffSession

/** One handler for each call. It gets the colleague who is signed in; a call that is not for anyone cannot come without. */
export type HandlersOf<Calls extends Record<string, ConsoleCall>> = {
  [Name in keyof Calls]: (
    input: z.infer<Calls[Name]['input']>,
    request: Request<SessionOf<Calls[Name]>>,
  ) => Promise<z.infer<Calls[Name]['output']>>
}

/**
 * Every call goes through here: it comes from our own page, from someone who is signed in, whose role may do it, and who has
 * just proved who they are where money or staff change. No handler can be reached without it.
 */
export function guardHandlers(handlers: HandlersOf<ConsoleCalls>): Handlers<ConsoleCalls, StaffBrowser> {
  const guard = (name: keyof ConsoleCalls) => {
    const call: ConsoleCall = consoleCalls[name]
    const handle = handlers[name] as (input: unknown, request: unknown) => Promise<unknown>
    return async (world: World, input: unknown, visitor: StaffBrowser) => {
      if (visitor.isFromOtherSite) throw new Refusal(403, 'Requests from other sites are not allowed.')
      const session = await findSession(world, visitor, { isUse: !call.isBackground })
      if (call.permission !== 'anyone') await requirePermission(world, name, session, visitor)
      refuseElsewhere(world, call)
      if (call.showsMembers && session) await countReading(world, session, visitor)
      return handle(input, { world, visitor, session }).catch(explainToStaff)
    }
  }
  const names = Object.keys(consoleCalls) as (keyof ConsoleCalls)[]
  return Object.fromEntries(names.map((name) => [name, guard(name)])) as unknown as Handlers<ConsoleCalls, StaffBrowser>
}

/** In front of an operator's API host we have no members, payments or catalog. */
function refuseElsewhere({ config }: World, { permission }: ConsoleCall) {
  const elsewhere = keptElsewhere(config)
  if (elsewhere && permission in permissions && isAboutMembers(permission as Permission))
    throw new Refusal(404, elsewhere)
}

/** The security log has what a role doesn't allow, and who reads the audit log. */
async function requirePermission(
  world: World,
  name: keyof ConsoleCalls,
  session: StaffSession | undefined,
  { address }: StaffBrowser,
) {
  if (!session) throw new Refusal(401, 'Please sign in.')
  const { permission, needsProof }: ConsoleCall = consoleCalls[name]
  const { id, role } = session.staff
  const event = { staff_id: id, address, details: { call: name } }
  if (permission !== 'staff' && permission !== 'anyone' && !mayDo(role, permission)) {
    await recordEvent(world, { kind: 'staff_refused', ...event })
    throw new Refusal(403, `Your role, ${role}, may not do this.`)
  }
  if (needsProof && !session.isProved) throw new Refusal(PROOF_NEEDED, 'Please confirm that it is you.')
  if (permission === 'see_audit') await recordEvent(world, { kind: 'audit_read', ...event })
}

/** A stolen session must not read every member unnoticed: no one needs this many in an hour. */
async function countReading(world: World, { staff }: StaffSession, { address }: StaffBrowser) {
  const use: LimitUse = ['LIMIT_MEMBERS_READ', `staff ${staff.id}`]
  await countAgainstLimits(world, [use], { staff_id: staff.id, address }).catch(async (error: unknown) => {
    if (!isOurFailure(error)) await warnOf(world, 'members_read', staff.id)
    throw error
  })
}

/** What the command line would tell an operator, staff may know too. */
function explainToStaff(error: unknown): never {
  throw error instanceof OperatorError ? new Refusal(409, error.message) : error
}
