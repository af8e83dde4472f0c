import { parseArgs } from 'node:util'
import { startSandbox } from './process.ts'

const USAGE = 'node server/gateways/payment/sandbox/main.ts --port N --ledger FILE\n'

const exitWith = (message: string, code: number): never => {
  process.stderr.write(message)
  process.exit(code)
}

function readArguments() {
  try {
    const { port = '', ledger } = parseArgs({
      options: { port: { type: 'string' }, ledger: { type: 'string' } },
    }).values
    if (!ledger || !/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65535) return exitWith(USAGE, 2)
    return { port: Number(port), ledgerFile: ledger }
  } catch {
    return exitWith(USAGE, 2)
  }
}

const sandbox = await startSandbox(readArguments()).catch((error: Error) =>
  exitWith(`The sandbox could not start: ${error.message}\n`, 1),
)
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => sandbox.close().then(() => process.exit(0)))
process.stdout.write(`sandbox: open ${sandbox.url}\n`)
