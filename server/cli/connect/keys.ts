import { scopes } from '#contract/connect/keys.ts'
import { consoleKeyCalls } from '#contract/console/keys.ts'
import { commandLine } from '#server/audit/audit.ts'
import { createKey, revokeKey } from '#server/connect/keys/manage-keys.ts'
import { viewKeys } from '#server/connect/keys/view-keys.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { World } from '#server/world/world.ts'
import { table } from '../listings.ts'
import { type ConnectCommand, type ConnectContext, checked } from './command.ts'

/** Keys need only settings, database and clock. */
const asWorld = (context: ConnectContext) => context as World

export const keyCommands: Record<string, ConnectCommand> = {
  'keys list': {
    required: [],
    run: async (context) => {
      const { keys } = await viewKeys(context)
      return table(
        ['name', 'ends with', 'state', 'scopes', 'last used', 'until', 'created', 'by'],
        keys.map(({ name, ending, state, scopes, used_on, ends_on, created_on, created_by = 'command line' }) => [
          ...[name, `…${ending}`, state, scopes.join(','), used_on ?? '', ends_on ?? '', created_on, created_by],
        ]),
      )
    },
  },
  'keys create': {
    required: ['NAME', 'SCOPES'],
    options: { until: 'string' },
    run: async (context, [name = '', list = ''], { until = '' }) => {
      const { input } = consoleKeyCalls.createApiKey
      const unknown = list.split(',').find((scope) => !Object.hasOwn(scopes, scope))
      if (unknown !== undefined)
        throw new OperatorError(`'${unknown}' is not a scope. The scopes are ${Object.keys(scopes).join(', ')}.`)
      const values = checked(input.safeParse({ name, scopes: list.split(','), ends_on: until }))
      const { key } = await createKey(asWorld(context), values, commandLine)
      return `${key}\nThis is the only time it's shown. Keep it where you keep passwords.`
    },
  },
  'keys revoke': {
    required: ['NAME'],
    options: { reason: 'string' },
    run: async (context, [name = ''], options) => {
      const reason = checked(consoleKeyCalls.revokeApiKey.input.shape.reason.safeParse(options.reason))
      const { keys } = await viewKeys(context)
      const key = keys.find((key) => key.name.toLowerCase() === name.toLowerCase() && key.state !== 'revoked')
      if (!key) throw new OperatorError(`There is no API key '${name}'.`)
      await revokeKey(asWorld(context), { id: key.id, reason }, commandLine)
      return `${key.name} is revoked. The next request with it is refused.`
    },
  },
}
