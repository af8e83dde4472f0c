import { parseArgs } from 'node:util'
import { readConfig } from '#server/config/config.ts'
import { explainError } from '#server/operator-error.ts'
import { runAsProgram, type Surroundings, UsageError } from './command-line.ts'
import { examine, type Finding, type Options } from './doctor-checks.ts'

const USAGE = `npm run doctor [-- --email ADDRESS] [--phone NUMBER]

Tries every part with the settings of this machine, and says what is wrong. Nothing is charged.

  --email ADDRESS   also sends a test email
  --phone NUMBER    also sends a code, to a number such as +12025550123

Exit code: 0 if everything works, 1 if something is wrong, 2 if the command was called in a wrong way.`

function parseOptions(args: string[]): Options {
  const { email, phone } = readOptions(args)
  if (email !== undefined && !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(email))
    throw new UsageError(`'${email}' is not an email address.`)
  if (phone !== undefined && !/^\+[1-9]\d{6,14}$/.test(phone))
    throw new UsageError(`'${phone}' is not a phone number with + and its country code.`)
  return { ...(email && { email }), ...(phone && { phone }) }
}

function readOptions(args: string[]) {
  try {
    return parseArgs({ args, options: { email: { type: 'string' }, phone: { type: 'string' } } }).values
  } catch (error) {
    throw new UsageError(`${Object(error).message}`.split('. ')[0])
  }
}

const print = ({ part, isFine, text }: Finding) =>
  console.log(`${isFine ? 'ok   ' : 'WRONG'}  ${part.padEnd(8)}  ${text}`)

export async function main(args: string[], { env }: Surroundings = {}): Promise<number> {
  if (args.some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(USAGE)
    return 0
  }
  try {
    const options = parseOptions(args)
    const isHealthy = await examine(readConfig(env), options, print)
    console.log(isHealthy ? '\nEverything works.' : '\nSomething is wrong: see the lines above.')
    return isHealthy ? 0 : 1
  } catch (error) {
    console.error(explainError(error) ?? error)
    if (error instanceof UsageError) console.error(`\n${USAGE}`)
    return error instanceof UsageError ? 2 : 1
  }
}

if (import.meta.main) await runAsProgram(main)
