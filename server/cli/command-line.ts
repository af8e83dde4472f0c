import { type Config, readConfig } from '#server/config/config.ts'
import type { Env } from '#server/config/secret-files.ts'
import { type Database, type Db, openDatabase } from '#server/db/db.ts'
import { refuseNewer, requireSchema } from '#server/db/migrate.ts'
import { createLog, type Log } from '#server/log.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { Refusal } from '#server/refusal.ts'

/** What a test replaces. */
export type Surroundings = { env?: Env; open?: typeof openDatabase }

/** The command was called in a wrong way, so the usage is printed as well. */
export class UsageError extends OperatorError {}

type Arguments = { required: string[]; optional?: string[] }

export function checkArguments({ required, optional = [] }: Arguments, args: string[]) {
  const missing = required[args.filter(Boolean).length]
  if (missing) throw new UsageError(`${missing} is missing.`)
  const unknown = args[required.length + optional.length]
  if (unknown !== undefined) throw new UsageError(`There is no argument '${unknown}'.`)
}

type Opened = { config: Config; db: Db; log: Log }
export type Program<Command> = {
  usage: string
  commands: Record<string, Command>
  /** Checks the arguments before the database is opened. Returns what prints the result. */
  prepare: (command: Command, args: string[]) => (opened: Opened) => Promise<string>
}

/** Runs one of an operator's commands on the database. The exit code is 1 if it fails, and 2 if it was called in a wrong way. */
export async function runCommand<Command>(
  { usage, commands, prepare }: Program<Command>,
  argv: string[],
  { env, open = openDatabase }: Surroundings = {},
) {
  const [name = '', ...args] = argv
  if (argv.some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(usage)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    console.error(usage)
    return 2
  }
  let database: Database | undefined
  try {
    const run = prepare(command, args)
    const config = readConfig(env)
    database = await open(config)
    const { db } = database
    await requireSchema(db)
    await refuseNewer(db)
    console.log(await run({ config, db, log: commandLog(config) }))
    return 0
  } catch (error) {
    console.error(error instanceof Refusal ? sentenceOf(error) : (explainError(error) ?? error))
    if (error instanceof UsageError) console.error(`\n${usage}`)
    return error instanceof UsageError ? 2 : 1
  } finally {
    await database?.close()
  }
}

/** A command prints its result, without production's log lines in between. */
export const commandLog = ({ LOG_LEVEL }: Config): Log =>
  createLog(LOG_LEVEL === 'info' ? 'warn' : LOG_LEVEL, process.stderr)

/** A reader that has seen enough, such as `head`, closes the pipe. The command still finishes. */
export async function runAsProgram(main: (args: string[]) => Promise<number>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  process.exitCode = await main(process.argv.slice(2))
}

const sentenceOf = ({ message, details }: Refusal) => Object.values(details.fields ?? {}).flat()[0] ?? message
