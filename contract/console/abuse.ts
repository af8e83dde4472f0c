import * as z from 'zod/mini'
import { textLine } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const count = z.int()

export const breakerNames = ['declines', 'codes'] as const
const breaker = z.enum(breakerNames, 'Please choose a protection.')

/** For how long something is closed by hand. */
export const restrictionHours = ['1', '6', '24', '72', '168', '720'] as const
const hours = z.enum(restrictionHours, 'Please choose for how long.')
/** 'open': until someone opens joining again. */
const pauseHours = z.enum([...restrictionHours, 'open'], 'Please choose for how long.')

/** How many in the last day and in the last week. */
const Recent = { day: count, week: count }

export const AbuseView = z.object({
  pause: z.optional(z.object({ message: z.string(), since: z.string(), ends_at: z.optional(z.string()) })),
  breakers: z.array(
    z.object({
      name: breaker,
      /** 'off': the settings turn it off. */
      state: z.enum(['open', 'closed', 'off']),
      open_until: z.optional(z.string()),
      /** When it opens by itself. */
      rule: z.string(),
    }),
  ),
  history: z.array(
    z.object({
      breaker,
      at: z.string(),
      kind: z.enum(['tripped', 'opened', 'closed']),
      open_until: z.optional(z.string()),
    }),
  ),
  blocks: z.array(
    z.object({ id: z.string(), network: z.string(), note: z.string(), since: z.string(), expires_at: z.string() }),
  ),
  declines: z.object({
    classes: z.array(z.object({ name: z.enum(['input', 'card', 'bank', 'fraud']), ...Recent })),
    /** There are more than are counted. */
    is_capped: z.boolean(),
  }),
  limits: z.array(
    z.object({ name: z.string(), text: z.string(), max: count, seconds: count, refused: z.object(Recent) }),
  ),
})

/** Limits, breakers, blocked networks and the pause. */
export const consoleAbuseCalls = {
  getAbuse: {
    method: 'GET',
    path: '/console/abuse',
    summary: 'Get limits, breakers, blocks and declined cards',
    permission: 'see_abuse',
    input: z.object({}),
    output: AbuseView,
  },
  openBreaker: {
    method: 'POST',
    path: '/console/abuse/breaker/open',
    summary: 'Open a breaker for a time',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({ breaker, hours }),
    output: AbuseView,
  },
  closeBreaker: {
    method: 'POST',
    path: '/console/abuse/breaker/close',
    summary: 'Close a breaker; its count starts over',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({ breaker }),
    output: AbuseView,
  },
  blockNetwork: {
    method: 'POST',
    path: '/console/abuse/block',
    summary: 'Keep a network from using the form, for a time',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({
      network: textLine('Please enter an address or a network.', 60),
      hours,
      note: textLine('Please say why, for your colleagues.', 200),
    }),
    output: AbuseView,
  },
  liftBlock: {
    method: 'POST',
    path: '/console/abuse/lift',
    summary: 'Lift the block of a network',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({ id: z.uuid('This is not a block.') }),
    output: AbuseView,
  },
  pauseJoining: {
    method: 'POST',
    path: '/console/abuse/pause',
    summary: 'Pause joining, with a sentence for visitors',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({ message: textLine('Please enter what visitors read.', 200), hours: pauseHours }),
    output: AbuseView,
  },
  resumeJoining: {
    method: 'POST',
    path: '/console/abuse/resume',
    summary: 'Open joining again',
    permission: 'manage_abuse',
    needsProof: true,
    input: z.object({}),
    output: AbuseView,
  },
} as const satisfies Record<string, ConsoleCall>

export type AbuseView = z.infer<typeof AbuseView>
