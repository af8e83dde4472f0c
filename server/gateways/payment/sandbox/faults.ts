import * as z from 'zod/mini'

const operations = [
  'authorize',
  'charge',
  'replaceCard',
  'lookup',
  'capture',
  'void',
  'refund',
  'transactions',
  'account',
] as const
export type Operation = (typeof operations)[number]

/** A fault for a share of the requests of an operation, optionally limited to a number of times. */
const Rule = z.strictObject({
  on: z.enum([...operations, 'any']),
  fault: z.enum(['lost_before', 'lost_after', 'slow', 'reset', 'garbage', 'error', 'duplicate', 'wrong_account']),
  share: z.number().check(z.minimum(0), z.maximum(1)),
  ms: z.optional(z.int().check(z.minimum(0), z.maximum(600_000))),
  times: z.optional(z.int().check(z.minimum(0))),
})
export type Rule = z.infer<typeof Rule>

export const Script = z.array(Rule).check(z.maxLength(100))

/** A number from 0 to 1 for a request to the gateway, such as 'charge 4f…'. */
export type Chance = (request: string) => number

/** The scripted faults. The first rule that applies is used, and its remaining times are reduced. */
export function faultScript(chance: Chance = Math.random) {
  let rules: Rule[] = []
  const applies = ({ on, share, times = 1 }: Rule, operation: Operation, id: string) =>
    (on === operation || (on === 'any' && operation !== 'account')) && // every start asks for the account
    times > 0 &&
    chance(`${operation} ${id}`) < share
  return {
    /** The rules with their remaining times. */
    read: () => rules,
    write: (script: Rule[]) => {
      rules = script
    },
    next: (operation: Operation, id = ''): Rule | undefined => {
      const rule = rules.find((candidate) => applies(candidate, operation, id))
      if (rule?.times) rule.times -= 1
      return rule
    },
  }
}
