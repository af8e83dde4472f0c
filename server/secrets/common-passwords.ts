import { createRequire } from 'node:module'
import { isVariantOf, passwordMessages, passwordProblem, plainForms } from '#contract/password.ts'
import { refuseFields } from '#server/refusal.ts'

/** The list is sorted by frequency. Later entries are words that a good password may contain. */
const MOST_USED = 10_000

/** Compared in a reduced form: 'dragon' does not meet the spec's rule, but 'Dragon-1' does and is as easy to guess. */
function loadCommonPasswords(): ReadonlySet<string> {
  const { dictionary }: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, MOST_USED).flatMap(plainForms))
}
const require = createRequire(import.meta.url)
let commonPasswords: ReadonlySet<string> | undefined // loaded on first use, to keep the start fast

/** Whether a password is one of the most used, or a variant of one: in another case, or followed by a year. */
export const isCommonPassword = (password: string): boolean => {
  commonPasswords ??= loadCommonPasswords()
  return isVariantOf(commonPasswords, password)
}

type PasswordChoice = { password: string } & Parameters<typeof passwordProblem>[1]

/** Rejects passwords that meet the spec's rule but are easy to guess. */
export function rejectGuessablePassword(
  { config }: { config: { COMMON_PASSWORDS: 'allow' | 'refuse' } },
  order: PasswordChoice,
) {
  if (config.COMMON_PASSWORDS === 'allow') return
  const isCommon = () => (isCommonPassword(order.password) ? passwordMessages.common : undefined)
  const problem = passwordProblem(order.password, order) ?? isCommon()
  if (problem) throw refuseFields({ password: problem })
}
