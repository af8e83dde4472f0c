// npm run reconcile: do the gateway's books and ours agree?
import { prepare, run } from './prepare.mjs'

const { node } = await prepare()
process.exit(await run(node, ['server/books/reconcile.ts', ...process.argv.slice(2)]))
