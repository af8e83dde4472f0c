import * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import { type DetailsChange, MembershipState, type Refund } from '#contract/connect/shapes.ts'
import { toAmount } from '#contract/money.ts'
import type { Actor } from '#server/audit/audit.ts'
import { type ApiKey, actorOf } from '#server/connect/keys/keys.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { getMember } from './members.ts'

/** Changes by other systems. The console's functions make them, with the same rules, audit rows and emails. */

/** The actor, in the form that the console's functions take. */
export type Acting = { staff: Actor & { email: string } }

export const actingFor = (key: ApiKey): Acting => ({ staff: { ...actorOf(key), email: `API key ${key.name}` } })

type ChangeState = (world: World, input: { member_id: string; reason: string }, by: Acting) => Promise<unknown>
type Details = z.infer<ApiCalls['changeDetails']['body']>

/** The console's functions, passed in because the console is on a higher floor. */
export type Actions = {
  cancelMembership: ChangeState
  resumeMembership: ChangeState
  holdMembership: ChangeState
  releaseMembership: ChangeState
  /** Returns the names of what has changed. */
  correctDetails: (
    world: World,
    input: Omit<Details, 'address_state'> & { state?: string; member_id: string },
    by: Acting,
  ) => Promise<string[]>
  writeRefund: (
    world: World,
    input: { member_id: string; reference: string; amount?: string | undefined; reason: string },
    by: Acting,
  ) => Promise<{ refund_id: string; amount_cents: number }>
}

type AboutMember = z.infer<ApiCalls['cancelMembership']['params']>
type WithReason = AboutMember & z.infer<ApiCalls['cancelMembership']['body']>

/** Changes a membership's state and returns it. */
export const changeState =
  (action: 'cancelMembership' | 'resumeMembership' | 'holdMembership' | 'releaseMembership') =>
  async (world: World, { member_id, reason }: WithReason, by: Acting, actions: Actions) => {
    await actions[action](world, { member_id, reason }, by)
    return stateOf(world, member_id)
  }

const stateOf = async (world: World, member_id: string) =>
  z.parse(MembershipState, { ...(await getMember(world, member_id)), member_id })

export async function changeDetails(
  world: World,
  { member_id, address_state, ...details }: AboutMember & Details,
  by: Acting,
  actions: Actions,
): Promise<z.infer<typeof DetailsChange>> {
  const change = { ...details, ...(address_state === undefined ? {} : { state: address_state }), member_id }
  const changed = await actions.correctDetails(world, change, by)
  return {
    member_id,
    changed: changed.map((name) => apiNames[name] ?? name),
    is_email_unconfirmed: changed.includes('unconfirmed_email'),
  }
}

const apiNames: Record<string, string> = { unconfirmed_email: 'email', state: 'address_state' }

type RefundInput = z.infer<ApiCalls['refundPayment']['params']> & z.infer<ApiCalls['refundPayment']['body']>

/** The money moves after the reply: a job asks the gateway until it answers. */
export async function refundPayment(
  world: World,
  { reference, amount, reason }: RefundInput,
  by: Acting,
  actions: Actions,
): Promise<z.infer<typeof Refund>> {
  const payment = await world.db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('member.id as member_id')
    .where('reference', '=', reference)
    .executeTakeFirst()
  if (!payment) throw new Refusal(404, 'There is no such payment.')
  const { member_id } = payment
  if (!member_id) throw new Refusal(409, 'This payment can’t be refunded: the person didn’t become a member.')
  const { refund_id, amount_cents } = await actions.writeRefund(world, { member_id, reference, amount, reason }, by)
  return { refund_id, payment_reference: reference, amount: toAmount(amount_cents), state: 'requested' }
}
