import type { ActionName } from '#contract/console/permissions.ts'
import { toAmount, toCents } from '#contract/money.ts'
import { type Actor, type Facts, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { leaseEnd } from '#server/gateways/payment/deadlines.ts'
import { addJob } from '#server/jobs/queue.ts'
import { removeSecondFactor } from '#server/members/factors.ts'
import { closeAllSessions } from '#server/members/session.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { moveRenewalDay } from '#server/membership/renewal-day.ts'
import { stateSql } from '#server/membership/state.ts'
import { waivePeriod } from '#server/membership/waive.ts'
import { executeRefund, NotSettled, requestRefund, requestVoid } from '#server/payments/refunds.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

/** What the log says. Some actions also return something. */
type Outcome = { before?: Facts; after?: Facts; content?: unknown }

/** A colleague, or an API key: changes by either go through here. */
export type Acting = { staff: Actor & { email: string } }

/** Does something about a member and writes it down, both or neither. */
export const actOnMember = async <Result extends Outcome>(
  world: World,
  { staff }: Acting,
  { act, member_id, reason }: { act: ActionName; member_id: string; reason?: string },
  work: (world: World) => Promise<Result>,
): Promise<Result> =>
  inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    await requireMember(db, member_id)
    const result = await work(inner)
    const { before, after } = result
    await recordAction(inner, {
      act,
      actor: staff,
      subject_kind: 'member',
      subject: member_id,
      reason,
      ...(before ? { before } : {}),
      ...(after ? { after } : {}),
    })
    return result
  })

async function requireMember(db: Db, member_id: string) {
  const member = await db.selectFrom('member').select('erased_at').where('id', '=', member_id).executeTakeFirst()
  if (!member) throw new Refusal(404, 'There is no such member.')
  if (member.erased_at) throw new Refusal(409, 'The personal data of this member was erased.')
}

type AboutPayment = { member_id: string; reference: string; reason: string }

type AboutRefund = AboutPayment & { amount?: string | undefined }

/** The refund is a row and a job before the gateway is called. It is then tried at once, so that the page can say how it went. */
export async function refundPayment(world: World, input: AboutRefund, session: Acting) {
  const { refund_id } = await writeRefund(world, input, session, leaseEnd(world))
  await sendNow(world, refund_id)
}

/** Without an amount, refunds all that's left. A job makes the refund, from `run_at`. */
export function writeRefund(world: World, input: AboutRefund, session: Acting, run_at = world.now()) {
  const { member_id, reference, reason } = input
  const amount_cents = input.amount === undefined ? undefined : toCents(input.amount)
  const who = session.staff.email
  return actOnMember(world, session, { act: 'refund_payment', member_id, reason }, async (world) => {
    await requirePaymentOf(world.db, input)
    const refund = await requestRefund(world, { reference, amount_cents, reason, who }, run_at)
    return { ...refund, after: { payment: reference, amount: toAmount(refund.amount_cents) } }
  })
}

export async function voidPayment(world: World, input: AboutPayment, session: Acting) {
  const { member_id, reference, reason } = input
  const who = session.staff.email
  const { refund_id } = await actOnMember(world, session, { act: 'void_payment', member_id, reason }, async (world) => {
    await requirePaymentOf(world.db, input)
    const refund = await requestVoid(world, { reference, reason, who }, leaseEnd(world))
    return { ...refund, after: { payment: reference, amount: toAmount(refund.amount_cents) } }
  })
  await sendNow(world, refund_id)
}

/** What is on the screen is what is refunded. */
async function requirePaymentOf(db: Db, { member_id, reference }: Omit<AboutPayment, 'reason'>) {
  const payment = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('payment.reference')
    .where('payment.reference', '=', reference)
    .where('member.id', '=', member_id)
    .executeTakeFirst()
  if (!payment) throw new Refusal(404, 'This member has no such payment.')
}

/** The job takes over if the gateway does not answer, or if the charge has to settle first. */
async function sendNow(world: World, refund_id: string) {
  await executeRefund(world, { refund_id }).catch((error: unknown) => {
    if (!(error instanceof NotSettled)) world.log.warn({ err: error, refund_id }, 'a refund is tried again later')
  })
}

type AboutMember = { member_id: string; reason: string }

export const cancelMembership = (world: World, input: AboutMember, session: Acting) =>
  changeState(world, input, session, 'cancel_membership', cancel)

export const resumeMembership = (world: World, input: AboutMember, session: Acting) =>
  changeState(world, input, session, 'resume_membership', resume)

export const holdMembership = (world: World, input: AboutMember, session: Acting) =>
  changeState(world, input, session, 'hold_membership', (world) => putOnHold(world, input.member_id, input.reason))

export const releaseMembership = (world: World, input: AboutMember, session: Acting) =>
  changeState(world, input, session, 'release_membership', liftHold)

export const waiveNextPeriod = (world: World, { member_id, reason }: AboutMember, session: Acting) =>
  actOnMember(world, session, { act: 'waive_period', member_id, reason }, async (world) => {
    const { n, starts_on, ends_on } = await waivePeriod(world, member_id)
    return { after: { period: n, starts_on, ends_on } }
  })

type NewDay = AboutMember & { day_of_month: string; shown_on: string; may_exceed?: string | undefined }

export const changeRenewalDay = (world: World, input: NewDay, session: Acting) =>
  actOnMember(world, session, { act: 'move_renewal_day', ...pickMember(input) }, async (world) => {
    const { member_id, shown_on } = input
    const day_of_month = Number(input.day_of_month)
    const change = { day_of_month, shown_on, may_exceed: input.may_exceed === '1' }
    const { before, after, free_days } = await moveRenewalDay(world, member_id, change)
    return { before: { renews_on: before }, after: { renews_on: after, free_days } }
  })

const pickMember = ({ member_id, reason }: AboutMember) => ({ member_id, reason })

/** What changes nothing is refused, so that the log holds only what happened. */
const changeState = (
  world: World,
  { member_id, reason }: AboutMember,
  session: Acting,
  act: ActionName,
  change: (world: World, member_id: string) => Promise<unknown>,
) =>
  actOnMember(world, session, { act, member_id, reason }, async (world) => {
    const before = await stateOf(world.db, member_id)
    await change(world, member_id)
    const after = await stateOf(world.db, member_id)
    if (JSON.stringify(before) === JSON.stringify(after))
      throw new Refusal(409, 'Nothing to change: the membership is already in this state. Please reload the page.')
    return { before, after }
  })

const stateOf = async (db: Db, member_id: string): Promise<Facts> => {
  const { state, ends_at } = await db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select(stateSql.as('state'))
    .select('ends_at')
    .where('member_id', '=', member_id)
    .executeTakeFirstOrThrow()
  return { state, ends_at: ends_at?.toISOString() ?? null }
}

export const endSessions = (world: World, { member_id }: { member_id: string }, session: Acting) =>
  actOnMember(world, session, { act: 'end_sessions', member_id }, async ({ db }) => {
    await closeAllSessions(db, member_id)
    return {}
  })

/** Whoever has the lost device is signed out too. */
export const removeMemberSecondFactor = (world: World, { member_id, reason }: AboutMember, session: Acting) =>
  actOnMember(world, session, { act: 'remove_second_factor', member_id, reason }, async (world) => {
    await removeSecondFactor(world, member_id)
    await closeAllSessions(world.db, member_id)
    return {}
  })

/** The same email as for a forgotten password: only the member gets the link. */
export const sendResetLink = (world: World, { member_id }: { member_id: string }, session: Acting) =>
  actOnMember(world, session, { act: 'send_reset_link', member_id }, async ({ db, now }) => {
    const { username } = await db
      .selectFrom('member')
      .select('username')
      .where('id', '=', member_id)
      .executeTakeFirstOrThrow()
    await addJob(db, 'forgotten', { name: username, asked_at: now().toISOString() }, now())
    return {}
  })
