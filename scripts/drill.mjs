// npm run drill: proves that the payment machinery holds. `-- PART …`, `-- --short`, `-- --only postgres|embedded`, `-- --keep`.
import { buildWeb, prepare, run } from './prepare.mjs'

const { node } = await prepare()
const code = await buildWeb({ node })
process.exit(code || (await run(node, ['drill/main.ts', ...process.argv.slice(2)])))
