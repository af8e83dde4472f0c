// npm run dev: the server starts again when its code changes; Vite, inside it, reloads the browser.
import { prepare, run } from './prepare.mjs'

const { node } = await prepare()
const watch = ['--watch-path=server', '--watch-path=contract', '--watch-preserve-output']
process.exit(await run(node, [...watch, 'server/dev.ts', ...process.argv.slice(2)]))
