import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'
import { day, reason } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const amount = Package.shape.price
const count = z.int()

/** The figures of a day, and of the same weekday a week before. */
const DayFigures = z.object({
  joined: count,
  /** Charged that day and not voided. */
  collected: amount,
  first_payments: count,
  renewals: count,
  /** Went back that day, whenever it was collected. */
  refunded: amount,
  disputed: amount,
})

const Problem = z.object({
  /** What it is about. The page says what to do. */
  kind: z.enum(['dispute', 'discrepancy', 'unanswered', 'review', 'renewal', 'resumed', 'email', 'key', 'webhook']),
  title: z.string(),
  detail: z.string(),
  since: z.string(),
  amount: z.optional(amount),
  member: z.optional(z.object({ id: z.string(), name: z.string() })),
  /** Of a webhook. */
  endpoint_id: z.optional(z.string()),
  /** Of several members: the list's filter that finds them. */
  resumed_on: z.optional(day),
  /** Of a discrepancy: what it is resolved by. */
  discrepancy: z.optional(z.object({ reference: z.string(), kind: z.string() })),
})

const ProblemList = z.object({ problems: z.array(Problem), is_capped: z.boolean() })

/** What happened today, and what waits for a person. */
/** Whether the bank returned the money, which the member's receipt then says. */
export const disputeOutcome = z.enum(['lost', 'other'], 'Please choose how the dispute ended.')

export const consoleOverviewCalls = {
  getToday: {
    method: 'GET',
    path: '/console/today',
    summary: 'Get the figures of the day and the state of the parts',
    permission: 'see_members',
    input: z.object({}),
    output: z.object({
      today: DayFigures,
      week_ago: DayFigures,
      renewals_due: count,
      past_due: count,
      declined: count,
      /** Renewals that were paid today after a decline. */
      saved: count,
      canceled: count,
      /** How many things need a person. */
      problems: count,
      newest: z.array(z.object({ id: z.string(), name: z.string(), sponsor: z.string(), joined_at: z.string() })),
      parts: z.array(
        z.object({ name: z.string(), state: z.string(), at: z.optional(z.string()), is_good: z.boolean() }),
      ),
    }),
  },
  listProblems: {
    method: 'GET',
    path: '/console/problems',
    summary: 'List the to-dos, oldest first',
    permission: 'see_problems',
    input: z.object({}),
    output: ProblemList,
  },
  resolveDiscrepancy: {
    method: 'POST',
    path: '/console/problems/resolve',
    summary: 'Resolve a discrepancy between the gateway’s books and ours, with a reason',
    permission: 'resolve_problems',
    needsProof: true,
    input: z.object({
      reference: z.string('Please name a payment.').check(z.minLength(1), z.maxLength(100)),
      kind: z.string('Please name the discrepancy.').check(z.minLength(1), z.maxLength(100)),
      reason,
      /** Of a dispute. */
      outcome: z.optional(disputeOutcome),
    }),
    output: ProblemList,
  },
} as const satisfies Record<string, ConsoleCall>

export type Today = z.infer<(typeof consoleOverviewCalls)['getToday']['output']>
export type Problem = z.infer<typeof Problem>
export type ProblemList = z.infer<typeof ProblemList>
