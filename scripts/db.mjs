// npm run db -- …: the operator's commands on the database.
import { prepare, run } from './prepare.mjs'

const { node } = await prepare()
process.exit(await run(node, ['server/db/cli.ts', ...process.argv.slice(2)]))
