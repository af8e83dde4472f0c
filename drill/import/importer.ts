// Imports a file as `npm run db -- import` does, and tells its parent how far it is, so it can be killed in the middle.

import { importMembers } from '#server/cli/import.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/db.ts'
import { createLog } from '#server/log.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { clock } from '#server/world/world.ts'

const [file = ''] = process.argv.slice(2)
const config = readConfig()
const database = await openDatabase(config)
const { db } = database
const keys = await openKeys(db, config, { now: clock })
const show = (text: string) => void process.send?.(text)
const context = { config, db, keys, now: clock, log: createLog('warn') }
const options = { isDryRun: false, isInviting: false, connection: 'drill', progress: { show, end: () => undefined } }
console.log(await importMembers(context, file, options))
await database.close()
process.disconnect?.()
