import { brand } from './brand.ts'
import { commonPasswords } from './common-passwords.ts'

/** Rejects passwords that meet the spec's rule but are easy to guess. Browser and server both run this. */

export const passwordMessages = {
  personal: 'Please choose a password that is not based on your name, email or username.',
  common: 'Many people use this password or one like it, so attackers try it first. Please choose another one.',
} as const

/** What the form knows so far about the person who chooses the password. */
type Owner = Partial<Record<'first_name' | 'last_name' | 'business_name' | 'email' | 'username', string>>

/** Why a password is too easy to guess; undefined if it is fine. */
export const passwordProblem = (password: string, owner: Owner): string | undefined =>
  consistsOfOwnNames(password, owner)
    ? passwordMessages.personal
    : isVariantOf(commonPasswords, password)
      ? passwordMessages.common
      : undefined

/** Shorter words, such as 'Al', 'Zoë' or 'abc', are part of many good passwords. */
const MIN_WORD_LENGTH = 4

/** Whether a password is one of these words plus digits and special characters. */
export const isVariantOf = (words: ReadonlySet<string>, password: string): boolean =>
  candidateWords(password).some((candidate) => words.has(candidate))

/** Whether the letters of a password are only the owner's names, in any order and number. */
function consistsOfOwnNames(password: string, owner: Owner): boolean {
  const names = namesOf(owner)
  const removeNames = (text: string) => names.reduce((rest, name) => rest.replaceAll(name, ' '), text).trim()
  return candidateWords(password).some((candidate) => removeNames(candidate) === '')
}

/** A person's names, whole and in parts, longest first and without initials. */
function namesOf({ first_name = '', last_name = '', business_name = '', email = '', username = '' }: Owner): string[] {
  const [mailbox = ''] = email.split('@')
  const names = [first_name, last_name, business_name, mailbox, username, brand.name]
  const words = names.flatMap((name) => [...plainForms(name), ...normalizeText(name).split(/\P{L}/u)])
  return [...new Set(words)].filter((word) => word.length > 1).sort((a, b) => b.length - a.length)
}

/** The words a password may be built on: its plain forms, and its letters with look-alikes such as '0' replaced. */
function candidateWords(password: string): string[] {
  const text = normalizeText(password)
  const [upToLastLetter = ''] = /^.*\p{L}/su.exec(text) ?? []
  const firstToLastLetter = upToLastLetter.replace(/^\P{L}+/u, '') // characters around a word are rarely look-alikes
  const withoutLookAlikes = [upToLastLetter, firstToLastLetter].map((part) =>
    onlyLetters(part.replace(/[01345@$]/g, (character) => lookAlikes[character] ?? '')),
  )
  return [...plainForms(text), ...withoutLookAlikes].filter((word) => word.length >= MIN_WORD_LENGTH)
}

const lookAlikes: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', '@': 'a', $: 's' }

/** A word in lowercase without accents and special characters, and its letters only: 'Zoë-77' → 'zoe77' and 'zoe'. */
export const plainForms = (word: string): string[] => {
  const text = normalizeText(word)
  return [text.replace(/[^\p{L}\p{N}]/gu, ''), onlyLetters(text)]
}

const normalizeText = (text: string) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
const onlyLetters = (text: string) => text.replace(/\P{L}/gu, '')
