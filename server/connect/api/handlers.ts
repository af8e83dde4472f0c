import type * as z from 'zod/mini'
import type { ApiCall, ApiCalls } from '#contract/connect/api.ts'
import type { World } from '#server/world/world.ts'
import type { ApiRequest } from './api.ts'
import { listPackages, listSponsors } from './catalog.ts'
import { listEvents } from './events.ts'
import { getLine } from './line.ts'
import { getMember, listMembers } from './members.ts'
import { getPayment, listPayments } from './payments.ts'
import { type Acting, type Actions, changeDetails, changeState, refundPayment } from './writes.ts'

type PartOf<Call, Name> = Call extends { [Key in Name & string]: infer Part extends z.ZodMiniType }
  ? z.infer<Part>
  : object
export type InputOf<Call> = PartOf<Call, 'params'> & PartOf<Call, 'query'> & PartOf<Call, 'body'>
type OutputOf<Call extends ApiCall> = Promise<z.infer<Call['output']>>

/** A change gets the caller as an actor, and the console's functions. A missing handler doesn't compile. */
export type ApiHandlers<Calls extends Record<string, ApiCall>> = {
  [Name in keyof Calls]: Calls[Name] extends { body: z.ZodMiniType }
    ? (world: World, input: InputOf<Calls[Name]>, by: Acting, actions: Actions) => OutputOf<Calls[Name]>
    : (world: World, input: InputOf<Calls[Name]>, caller: ApiRequest) => OutputOf<Calls[Name]>
}

export const apiHandlers: ApiHandlers<ApiCalls> = {
  listMembers,
  getMember: (world, { member_id }) => getMember(world, member_id),
  getLine,
  listPayments,
  getPayment: (world, { reference }) => getPayment(world, reference),
  listSponsors,
  listPackages,
  listEvents,
  cancelMembership: changeState('cancelMembership'),
  undoCancellation: changeState('resumeMembership'),
  holdMembership: changeState('holdMembership'),
  releaseMembership: changeState('releaseMembership'),
  changeDetails,
  refundPayment,
}
