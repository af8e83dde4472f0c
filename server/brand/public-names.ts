import { refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { brandOf } from './brand.ts'

/** Names that visitors see: they must not pass for the operator's, and must not lead anywhere else. */

type PersonName = { first_name: string; last_name: string }
type Names = PersonName & { business_name: string }

/** What the operator is called: the brand first, then the company. */
export type OperatorNames = readonly [brand: string, ...companies: string[]]
export const operatorNames = async (world: World): Promise<OperatorNames> => [
  (await brandOf(world)).page.name,
  world.config.operator.name,
]

/** The name on a member's page: the company's, or the person's, or the username if neither can be shown. */
export function publicName(member: Names & { username: string }, ours: OperatorNames): string {
  const person = `${member.first_name} ${member.last_name}`
  if (member.business_name && !businessNameProblem(member.business_name, ours)) return member.business_name
  return personNameProblem(member, ours) ? member.username : person
}

/** Refuses them at their fields. */
export function rejectMisleadingNames(names: Names, ours: OperatorNames): void {
  const business_name = businessNameProblem(names.business_name, ours)
  const person = personNameProblem(names, ours)
  if (business_name || person)
    throw refuseFields({ ...(business_name ? { business_name } : {}), ...(person ? { first_name: person } : {}) })
}

const CONTACT = 'Please enter a name without a phone number, email address or web address.'
const passesForUs = ([brand]: OperatorNames) =>
  `This name could be taken for ${brand} itself. Please choose another one.`

/** Every page of a member asks, so the answers of the last names are kept. */
export function businessNameProblem(name: string, ours: OperatorNames): string | undefined {
  const key = JSON.stringify([name, ...ours])
  if (!answers.has(key)) {
    if (answers.size >= MAX_ANSWERS) answers.clear()
    answers.set(key, findProblem(name, ours))
  }
  return answers.get(key)
}
const answers = new Map<string, string | undefined>()
const MAX_ANSWERS = 2000

function findProblem(name: string, ours: OperatorNames): string | undefined {
  if (hasContact(name)) return CONTACT
  const words = wordsOf(name)
  const isOurs = ours.some((our) => hasSequence(words, companyWords(our)))
  return isOurs || words.some((word) => titles.has(word) || isCompound(word, ours)) ? passesForUs(ours) : undefined
}

/** People may be called anything that a person is called, also like the brand. Nobody is called 'Foyer Support'. */
export function personNameProblem({ first_name, last_name }: PersonName, ours: OperatorNames): string | undefined {
  const name = `${first_name} ${last_name}`
  if (hasContact(first_name) || hasContact(last_name)) return CONTACT
  const words = wordsOf(name)
  const ourWords = new Set(ours.flatMap(companyWords))
  const isMadeOfOurWords = words.every((word) => ourWords.has(word) || titles.has(word) || departments.has(word))
  const hasTitle = words.some((word) => titles.has(word))
  const hasDepartment = words.some((word) => departments.has(word)) && words.some((word) => ourWords.has(word))
  return isMadeOfOurWords && (hasTitle || hasDepartment) ? passesForUs(ours) : undefined
}

const TOP_LEVEL_DOMAINS =
  'com|net|org|info|biz|io|co|us|uk|de|fr|es|eu|ca|au|in|ru|cn|me|tv|ly|gg|ai|app|dev|shop|store|online|site|xyz|club|link|live|top|vip|click|page|world|team|pro'
const contacts = [
  /\S@\S/u,
  /https?:|\bwww\./iu,
  new RegExp(`[\\p{L}\\p{N}]\\.(?:${TOP_LEVEL_DOMAINS})(?![\\p{L}\\p{N}])`, 'iu'),
  /\d(?:[\s().+/-]*\d){6}/u, // seven digits or more
]
const hasContact = (name: string) =>
  contacts.some((pattern) => pattern.test(name.normalize('NFKC').replace(INVISIBLE, '')))

/** Zero-width characters, joiners and direction marks. */
const INVISIBLE = /\p{Cf}|\u034f|[\u115f\u1160\u3164]/gu

/** Letters and digits that look like a Latin letter. I, l and 1 are one letter here. */
const lookAlikes: [letter: string, others: string][] = [
  ['a', 'а4@αɑ'],
  ['b', 'вЬь8β'],
  ['c', 'сϲ'],
  ['d', 'ԁ'],
  ['e', 'еє3ε'],
  ['f', 'ƒ'],
  ['g', 'ɡ'],
  ['h', 'һн'],
  ['k', 'кκ'],
  ['l', 'i1|іїıιӏ'],
  ['m', 'м'],
  ['n', 'пոη'],
  ['o', '0оοσ'],
  ['p', 'рρ'],
  ['r', 'гꭇ'],
  ['s', '5$ѕ'],
  ['t', '7тτ'],
  ['u', 'υս'],
  ['v', 'ν'],
  ['x', 'хχ'],
  ['y', 'уүγ'],
]
const plainLetters = new Map(lookAlikes.flatMap(([letter, others]) => [...others].map((other) => [other, letter])))

/** Written in the letters that it looks like. */
const fold = (text: string): string =>
  [...text.normalize('NFKD').replace(/\p{M}/gu, '').replace(INVISIBLE, '').toLowerCase()]
    .map((letter) => plainLetters.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Folded. Letters that stand alone are one word: 'S u p p o r t'. */
function wordsOf(name: string): string[] {
  const words: string[] = []
  let isSpelled = false
  for (const word of fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)) {
    if (word.length === 1 && isSpelled) words.push(`${words.pop()}${word}`)
    else words.push(word)
    isSpelled = word.length === 1
  }
  return words
}

const folded = (words: string[]): ReadonlySet<string> => new Set(words.map(fold))
const titles = folded(['support', 'official', 'admin', 'administrator', 'helpdesk'])
const departments = folded([
  ...['team', 'staff', 'service', 'customer', 'care', 'help', 'desk', 'center', 'billing', 'account', 'accounts'],
  ...['member', 'members', 'security', 'the', 'office', 'hq'],
])
const legalForms = folded(['inc', 'llc', 'ltd', 'limited', 'corp', 'corporation', 'co', 'company', 'gmbh', 'plc'])

const companyWords = (name: string) => wordsOf(name).filter((word) => !legalForms.has(word))

const hasSequence = (words: string[], wanted: string[]): boolean =>
  wanted.length > 0 && words.some((_word, start) => wanted.every((word, n) => words[start + n] === word))

/** 'FoyerSupport', 'supportteam': two words of ours without a space. */
function isCompound(word: string, ours: OperatorNames): boolean {
  const own = new Set([...titles, ...ours.map((name) => companyWords(name).join(''))])
  return [...word].some((_letter, at) => {
    const [start, end] = [word.slice(0, at), word.slice(at)]
    const isPart = (part: string) => own.has(part) || departments.has(part)
    return isPart(start) && isPart(end) && (own.has(start) || own.has(end))
  })
}
