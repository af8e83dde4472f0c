import { brand } from './brand.ts'
import { commonPasswords } from './common-passwords.ts'

/** What the spec's rule for a password cannot see: that it is the first one anybody would try. Both sides run it. */

export const passwordMessages = {
  own: 'Please choose a password that is not made from your name, email or username.',
  wellKnown: 'This password is too well known. Please choose another one.',
} as const

/** Whose password it is, as far as they have said. */
type Owner = Partial<Record<'first_name' | 'last_name' | 'business_name' | 'email' | 'username', string>>

/** What speaks against a password; undefined if nothing does. */
export const passwordProblem = (password: string, owner: Owner): string | undefined =>
  isOwn(password, owner)
    ? passwordMessages.own
    : isVariantOf(commonPasswords, password)
      ? passwordMessages.wellKnown
      : undefined

/** Fewer letters than this are no name and no word: 'Al', 'Zoë' and 'abc' stand in many good passwords. */
const WORD = 4

/** Whether a password is one of these words with digits and signs put around it and in it. */
export const isVariantOf = (known: ReadonlySet<string>, password: string): boolean =>
  readings(password).some((reading) => known.has(reading))

/** Whether its letters are the owner's words and nothing else, however often and in whatever order. */
function isOwn(password: string, owner: Owner): boolean {
  const words = wordsOf(owner)
  const restOf = (reading: string) => words.reduce((rest, word) => rest.replaceAll(word, ' '), reading).trim()
  return readings(password).some((reading) => restOf(reading) === '')
}

/** The names of a person, whole and in parts, the longest first. An initial is not worth a word. */
function wordsOf({ first_name = '', last_name = '', business_name = '', email = '', username = '' }: Owner): string[] {
  const [mailbox = ''] = email.split('@')
  const names = [first_name, last_name, business_name, mailbox, username, brand.name]
  const words = names.flatMap((name) => [...plainForms(name), ...fold(name).split(/\P{L}/u)])
  return [...new Set(words)].filter((word) => word.length > 1).sort((a, b) => b.length - a.length)
}

/** Every way to read a password: in its bare forms, and with look-alikes as letters. */
function readings(password: string): string[] {
  const text = fold(password)
  const [unended = ''] = /^.*\p{L}/su.exec(text) ?? []
  const inner = unended.replace(/^\P{L}+/u, '') // signs around a word are seldom letters of it
  const unmasked = [unended, inner].map((part) =>
    lettersOf(part.replace(/[01345@$]/g, (sign) => lookAlikes[sign] ?? '')),
  )
  return [...plainForms(text), ...unmasked].filter((reading) => reading.length >= WORD)
}

const lookAlikes: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', '@': 'a', $: 's' }

/** A word in small letters without accents and signs, and its letters alone: 'Zoë-77' → 'zoe77' and 'zoe'. */
export const plainForms = (word: string): string[] => [fold(word).replace(/[^\p{L}\p{N}]/gu, ''), lettersOf(fold(word))]

const fold = (text: string) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
const lettersOf = (text: string) => text.replace(/\P{L}/gu, '')
