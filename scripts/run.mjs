// npm commands that run one program on the project's own Node, after installing packages and, for some, building the pages.
import { randomBytes } from 'node:crypto'
import { run } from './child.mjs'
import { buildWeb, prepare } from './prepare.mjs'

const watchFlags = ['--watch-path=server', '--watch-path=contract', '--watch-preserve-output']

const commands = {
  /** From a fresh clone to a running site. */
  start: { program: ['server/main.mjs'], pages: true },
  /** The same with a year of business behind it. `-- --new` makes the year again. */
  demo: { program: ['demo/main.ts'], pages: true },
  /** The same as in production, with PostgreSQL and emulated vendors. `-- --check` joins once and stops. */
  rehearse: { program: ['demo/rehearsal/main.ts'], pages: true, forDevelopment: true },
  /** Restarts the server when its code changes; Vite runs inside it and reloads the browser. */
  dev: { program: [...watchFlags, 'server/dev.ts'], forDevelopment: true, keepsTestPages: true },
  /** The operator's database commands. */
  db: { program: ['server/cli/db.ts'] },
  /** Compares the payment gateway's records with ours. */
  reconcile: { program: ['server/cli/reconcile.ts'] },
  /** Shows payments, and refunds, voids and resolves. */
  payments: { program: ['server/cli/payments.ts'] },
  /** Tries every part, and says what is wrong. */
  doctor: { program: ['server/cli/doctor.ts'] },
  /** Who may use the console, and whether its audit log is intact. */
  staff: { program: ['server/cli/staff.ts'] },
  /** API keys, webhooks, and what else connects other systems. */
  connect: { program: ['server/cli/connect.ts'] },
  /** The scripts of pages with a card form, with their hashes; and whether a site serves just these. */
  'scripts:inventory': { program: ['server/cli/scripts.ts', 'inventory'], pages: true },
  'scripts:check': { program: ['server/cli/scripts.ts', 'check'] },
  /** Asks an API host everything that the specification promises. `-- URL`. */
  conformance: { program: ['conformance/main.ts'] },
  /** Measures every performance budget beside its peer. `-- PART …`, `-- --short`, `-- --json FILE`. */
  bench: { program: ['bench/main.ts'], pages: true, forDevelopment: true },
}

const [name, ...args] = process.argv.slice(2)
const { program, pages, forDevelopment, keepsTestPages } = commands[name]
// The token outlives restarts, so that an open page keeps working.
if (keepsTestPages) process.env.TEST_PAGES_TOKEN ??= randomBytes(18).toString('base64url')
const { node } = await prepare({ forDevelopment })
const buildError = pages ? await buildWeb({ node }) : 0
process.exit(buildError || (await run(node, [...program, ...args])))
