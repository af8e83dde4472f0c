// The part of zod/mini that the rules of the fields are written in, for the wizard's scripts. zod makes every rule a machine
// that can do much more than say yes or no, and a slow phone waits for that. web/lean-zod.test.ts holds both against each other.

type Words = string | { error: string; abort?: boolean }
type Issue = { path: PropertyKey[]; message: string }
type Payload = { value: string; issues: Issue[]; isOver: boolean }
type Check = (payload: Payload) => void
type Verdict =
  | { success: true; data: unknown; error?: undefined }
  | { success: false; error: { issues: Issue[] }; data?: undefined }
type Rule = { safeParse: (value: unknown) => Verdict }

const issueOf = (words: Words): Issue => ({ path: [], message: typeof words === 'string' ? words : words.error })
const refused = (...issues: Issue[]): Verdict => ({ success: false, error: { issues } })
const taken = (data: unknown): Verdict => ({ success: true, data })

/** Every rule speaks up, unless one before it has ended the matter. */
const text = (words: Words, checks: Check[]): Rule & { check: (...more: Check[]) => Rule } => ({
  check: (...more) => text(words, [...checks, ...more]),
  safeParse: (value) => {
    if (typeof value !== 'string') return refused(issueOf(words))
    const payload: Payload = { value, issues: [], isOver: false }
    for (const check of checks) if (!payload.isOver) check(payload)
    return payload.issues.length ? refused(...payload.issues) : taken(payload.value)
  },
})
export const string = (words: Words) => text(words, [])

export const refine =
  (fits: (value: string) => boolean, words: Words): Check =>
  (payload) => {
    if (fits(payload.value)) return
    payload.issues.push(issueOf(words))
    payload.isOver = typeof words !== 'string' && words.abort === true
  }
export const regex = (pattern: RegExp, words: Words) => refine((value) => pattern.test(value), words)
export const minLength = (least: number, words: Words) => refine((value) => [...value].length >= least, words)
export const maxLength = (most: number, words: Words) => refine((value) => [...value].length <= most, words)

export const overwrite =
  (change: (value: string) => string): Check =>
  (payload) => {
    payload.value = change(payload.value)
  }
export const trim = () => overwrite((value) => value.trim())
export const toLowerCase = () => overwrite((value) => value.toLowerCase())

const oneOf = (values: readonly string[], words: Words): Rule => ({
  safeParse: (value) => (values.some((each) => each === value) ? taken(value) : refused(issueOf(words))),
})

export { oneOf as enum }
export const literal = (value: string, words: Words) => oneOf([value], words)

export const _default = (rule: Rule, missing: string): Rule => ({
  safeParse: (value) => (value === undefined ? taken(missing) : rule.safeParse(value)),
})
