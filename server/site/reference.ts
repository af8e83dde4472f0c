import * as z from 'zod/mini'
import { API, type Call, callGroups, calls, ErrorReply, IdempotencyKey } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { ApiReference, DocumentedCall } from '#contract/pages.ts'
import type { Config } from '#server/config/config.ts'
import { isOfficeOurs } from '#server/config/operator.ts'

/** The calls of this site as /api/docs shows them, made from the contract. */
export const apiReference = (config: Config): ApiReference => ({
  base_url: config.PUBLIC_URL,
  calls: listCalls(config),
  error: z.toJSONSchema(ErrorReply),
})

export const listCalls = (config: Config): DocumentedCall[] =>
  Object.entries<Call>({ ...calls, ...(isOfficeOurs(config) ? officeCalls : {}) }).map(([name, call]) => {
    const { method, path, summary, input, output, mayBePending, takesIdempotencyKey } = call
    return {
      name,
      group: callGroups[path.split('/')[1] ?? ''] ?? 'More',
      method,
      path: API + path.replace(/:(\w+)/, '{$1}'),
      summary,
      input: z.toJSONSchema(z.object({ ...input.shape, ...(takesIdempotencyKey ? keyHeader : {}) }), { io: 'input' }),
      messages: Object.fromEntries(Object.entries(input.shape).map(([field, rule]) => [field, messagesOf(rule)])),
      output: z.toJSONSchema(output),
      ...(mayBePending ? { mayBePending } : {}),
      ...(takesIdempotencyKey ? { takesIdempotencyKey } : {}),
    }
  })

const keyHeader = { 'idempotency-key (header)': z.optional(IdempotencyKey) }

/** Wrong in as many ways as the rules know. */
const wrongValues = [undefined, '', ' ', '!', '0', 'a b', '1'.repeat(8), 'x'.repeat(3000), '\u0007']

/** The messages that a field can get, in the order of its rules. */
const messagesOf = (rule: z.core.$ZodType): string[] => {
  const issues = wrongValues.flatMap((value) => z.core.safeParse(rule, value).error?.issues ?? [])
  return [...new Set(issues.map(({ message }) => message))].filter((message) => !message.startsWith('Invalid input'))
}
