import * as z from 'zod/mini'

const code = z.string().check(z.regex(/^[0-9A-Z]{2}$/))

/** Declines the next charges of a stored card, or of all. */
const DeclineRule = z.strictObject({
  vault_reference: z.optional(z.string()),
  issuer_code: code,
  advice_code: z.optional(code),
  times: z.int().check(z.minimum(0)),
})
export type DeclineRule = z.infer<typeof DeclineRule>

export const DeclineRules = z.array(DeclineRule).check(z.maxLength(1000))

/** The scripted declines. The first rule that applies is used, and its remaining times are reduced. */
export function declineScript() {
  let rules: DeclineRule[] = []
  return {
    /** The rules with their remaining times. */
    read: () => rules,
    write: (script: DeclineRule[]) => {
      rules = script.map((rule) => ({ ...rule }))
    },
    next: (vault_reference: string): DeclineRule | undefined => {
      const rule = rules.find(
        (candidate) => candidate.times > 0 && (candidate.vault_reference ?? vault_reference) === vault_reference,
      )
      if (rule) rule.times -= 1
      return rule
    },
  }
}
