// npm run sandbox: the payment sandbox as a process of its own.
import { run } from './child.mjs'
import { prepare } from './prepare.mjs'

const PORT = '3100'

const { node } = await prepare()
console.log(`Point Foyer at the sandbox: PAYMENT_SANDBOX_URL=http://127.0.0.1:${PORT} npm start`)
const program = 'server/gateways/payment/sandbox/main.ts'
process.exit(await run(node, [program, '--port', PORT, '--ledger', 'data/sandbox-payments.jsonl']))
