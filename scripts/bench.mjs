// npm run bench: measures every promise beside its peer. `-- PART …`, `-- --short`, `-- --json FILE`.
import { buildWeb, prepare, run } from './prepare.mjs'

const { node } = await prepare()
const code = await buildWeb({ node })
process.exit(code || (await run(node, ['bench/main.ts', ...process.argv.slice(2)])))
