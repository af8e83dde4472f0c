import * as z from 'zod/mini'
import { API, type Call, calls, IdempotencyKey } from '#contract/api.ts'
import { officeCalls } from '#contract/office-calls.ts'
import type { DocumentedCall } from '#contract/pages.ts'
import type { Config } from '#server/config/config.ts'
import { isOfficeOurs } from '#server/office/pages.ts'

/** The calls that this site answers, ready to be shown. */
export const documentedCalls = (config: Config): DocumentedCall[] =>
  Object.values<Call>({ ...calls, ...(isOfficeOurs(config) ? officeCalls : {}) }).map(
    ({ method, path, summary, input, output, takesIdempotencyKey }) => ({
      method,
      path: API + path.replace(/:(\w+)/, '{$1}'),
      summary,
      input: z.toJSONSchema(z.object({ ...input.shape, ...(takesIdempotencyKey ? header : {}) }), { io: 'input' }),
      output: z.toJSONSchema(output),
    }),
  )

const header = { 'idempotency-key (header)': z.optional(IdempotencyKey) }
