import { dictionary } from '@zxcvbn-ts/language-common'
import { isVariantOf, plainForms } from '#contract/password.ts'

/** The list is sorted by use. Further down stand words that a good password may well contain. */
const MOST_USED = 10_000

/** Hardly any of them meets the spec's rule as it stands: 'dragon' does not, but 'Dragon-1' does and is as well known. */
const mostUsed = () => new Set(dictionary['passwords-common'].slice(0, MOST_USED).flatMap(plainForms))
let known: ReadonlySet<string> | undefined // made when it is first needed: a start should not wait for it

/** Whether a password is among the first that are tried: one of the most used, in another case or with a year behind it. */
export const isCommonPassword = (password: string): boolean => {
  known ??= mostUsed()
  return isVariantOf(known, password)
}
