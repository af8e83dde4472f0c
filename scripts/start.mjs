// npm start: from a fresh clone to a running site.
import { buildWeb, prepare, run } from './prepare.mjs'

const { node } = await prepare()
const notBuilt = await buildWeb({ node })
process.exit(notBuilt || (await run(node, ['server/main.ts', ...process.argv.slice(2)])))
