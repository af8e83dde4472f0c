// A small replacement for zod/mini in the wizard's scripts: zod is too slow to load on a slow phone. It has only what
// contract/fields.ts uses. web/lean-zod.test.ts compares it with zod.

type Message = string | { error: string; abort?: boolean }
type Issue = { path: PropertyKey[]; message: string }
type Payload = { value: string; issues: Issue[]; isAborted: boolean }
type Check = (payload: Payload) => void
type Result =
  | { success: true; data: unknown; error?: undefined }
  | { success: false; error: { issues: Issue[] }; data?: undefined }
type Rule = { safeParse: (value: unknown) => Result }

const issueOf = (message: Message): Issue => ({
  path: [],
  message: typeof message === 'string' ? message : message.error,
})
const failure = (...issues: Issue[]): Result => ({ success: false, error: { issues } })
const success = (data: unknown): Result => ({ success: true, data })

/** All checks run, unless one with `abort` fails. */
const text = (message: Message, checks: Check[]): Rule & { check: (...more: Check[]) => Rule } => ({
  check: (...more) => text(message, [...checks, ...more]),
  safeParse: (value) => {
    if (typeof value !== 'string') return failure(issueOf(message))
    const payload: Payload = { value, issues: [], isAborted: false }
    for (const check of checks) if (!payload.isAborted) check(payload)
    return payload.issues.length ? failure(...payload.issues) : success(payload.value)
  },
})
export const string = (message: Message) => text(message, [])

export const refine =
  (isValid: (value: string) => boolean, message: Message): Check =>
  (payload) => {
    if (isValid(payload.value)) return
    payload.issues.push(issueOf(message))
    payload.isAborted = typeof message !== 'string' && message.abort === true
  }
export const regex = (pattern: RegExp, message: Message) => refine((value) => pattern.test(value), message)
export const minLength = (minimum: number, message: Message) => refine((value) => [...value].length >= minimum, message)
export const maxLength = (maximum: number, message: Message) => refine((value) => [...value].length <= maximum, message)

export const overwrite =
  (change: (value: string) => string): Check =>
  (payload) => {
    payload.value = change(payload.value)
  }
export const trim = () => overwrite((value) => value.trim())
export const toLowerCase = () => overwrite((value) => value.toLowerCase())

const oneOf = (values: readonly string[], message: Message): Rule => ({
  safeParse: (value) => (values.some((allowed) => allowed === value) ? success(value) : failure(issueOf(message))),
})

export { oneOf as enum }
export const literal = (value: string, message: Message) => oneOf([value], message)

export const _default = (rule: Rule, defaultValue: string): Rule => ({
  safeParse: (value) => (value === undefined ? success(defaultValue) : rule.safeParse(value)),
})
