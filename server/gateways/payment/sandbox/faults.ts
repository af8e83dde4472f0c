import * as z from 'zod/mini'

const operations = ['authorize', 'lookup', 'capture', 'void', 'refund', 'transactions'] as const
export type Operation = (typeof operations)[number]

/** When what goes wrong: on a share of the requests, and a number of times if it says so. */
const Rule = z.strictObject({
  on: z.enum([...operations, 'any']),
  fault: z.enum(['lost_before', 'lost_after', 'slow', 'reset', 'garbage', 'error', 'duplicate']),
  share: z.number().check(z.minimum(0), z.maximum(1)),
  ms: z.optional(z.int().check(z.minimum(0), z.maximum(600_000))),
  times: z.optional(z.int().check(z.minimum(0))),
})
export type Rule = z.infer<typeof Rule>

export const Script = z.array(Rule).check(z.maxLength(100))

/** The faults that are to happen. The first rule that applies is used, and used up when it has a number of times. */
export function faultScript() {
  let rules: Rule[] = []
  const applies = ({ on, share, times = 1 }: Rule, operation: Operation) =>
    (on === 'any' || on === operation) && times > 0 && Math.random() < share
  return {
    /** With what is left of each rule's times. */
    read: () => rules,
    write: (script: Rule[]) => {
      rules = script
    },
    next: (operation: Operation): Rule | undefined => {
      const rule = rules.find((candidate) => applies(candidate, operation))
      if (rule?.times) rule.times -= 1
      return rule
    },
  }
}
