import { describeSettings } from '#server/config/describe.ts'
import type { World } from '#server/world/world.ts'
import packageJson from '../../../package.json' with { type: 'json' }

/** What this process runs with. Read-only: a machine's settings belong to the machine. */
export const viewSettings = ({ config, database }: World) => ({
  version: packageJson.version,
  database,
  embedded: config.embedded,
  groups: describeSettings(config),
})
