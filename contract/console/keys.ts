import * as z from 'zod/mini'
import { scopeNames } from '#contract/connect/keys.ts'
import { day, reason, textLine } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const CHOOSE_SCOPES = 'Please choose what this key may do.'
const scope = z.enum(scopeNames, CHOOSE_SCOPES)

const KeyView = z.object({
  id: z.string(),
  name: z.string(),
  /** Its last four characters. */
  ending: z.string(),
  scopes: z.array(scope),
  created_on: day,
  /** Missing for the command line. */
  created_by: z.optional(z.string()),
  used_on: z.optional(day),
  /** The last day on which it can be used. */
  ends_on: z.optional(day),
  revoked_on: z.optional(day),
  /** ending: it's in use and ends within a week. */
  state: z.enum(['active', 'ending', 'ended', 'revoked']),
})

const KeyList = z.object({ keys: z.array(KeyView) })

/** Keys of the operator's own systems. */
export const consoleKeyCalls = {
  listApiKeys: {
    method: 'GET',
    path: '/console/keys',
    summary: 'List the API keys',
    permission: 'see_keys',
    input: z.object({}),
    output: KeyList,
  },
  createApiKey: {
    method: 'POST',
    path: '/console/keys/create',
    summary: 'Create an API key; the reply has the key, which is shown only once',
    permission: 'manage_keys',
    needsProof: true,
    input: z.object({
      name: textLine('Please enter a name, such as the system that will use it.', 60),
      scopes: z.array(scope, CHOOSE_SCOPES).check(z.minLength(1, CHOOSE_SCOPES)),
      /** Empty if it has no end. */
      ends_on: z.optional(z.union([z.literal(''), day])),
    }),
    output: z.object({ key: z.string(), ...KeyList.shape }),
  },
  revokeApiKey: {
    method: 'POST',
    path: '/console/keys/revoke',
    summary: 'Revoke an API key; the next request with it is refused',
    permission: 'manage_keys',
    needsProof: true,
    input: z.object({ id: z.uuid('This is not an API key.'), reason }),
    output: KeyList,
  },
} as const satisfies Record<string, ConsoleCall>

export type KeyView = z.infer<typeof KeyView>
export type KeyList = z.infer<typeof KeyList>
