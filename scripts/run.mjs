// The npm commands that are one program each: on the project's own Node, with the packages, some with the built pages.
import { buildWeb, prepare, run } from './prepare.mjs'

const watched = ['--watch-path=server', '--watch-path=contract', '--watch-preserve-output']

const commands = {
  /** From a fresh clone to a running site. */
  start: { program: ['server/main.ts'], pages: true },
  /** The server starts again when its code changes; Vite, inside it, reloads the browser. */
  dev: { program: [...watched, 'server/dev.ts'] },
  /** The operator's commands on the database. */
  db: { program: ['server/db/cli.ts'] },
  /** Do the gateway's books and ours agree? */
  reconcile: { program: ['server/payments/books/cli.ts'] },
  /** Measures every promise beside its peer. `-- PART …`, `-- --short`, `-- --json FILE`. */
  bench: { program: ['bench/main.ts'], pages: true },
}

const [name, ...args] = process.argv.slice(2)
const { program, pages } = commands[name]
const { node } = await prepare()
const notBuilt = pages ? await buildWeb({ node }) : 0
process.exit(notBuilt || (await run(node, [...program, ...args])))
