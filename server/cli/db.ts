import { ourCategory } from '#server/catalog/catalog.ts'
import { type Config, readConfig } from '#server/config/config.ts'
import { withoutPassword } from '#server/config/database-url.ts'
import { keptElsewhere } from '#server/config/operator.ts'
import { backup, restore } from '#server/db/backup.ts'
import { type Database, type Db, inTransaction, openDatabase } from '#server/db/db.ts'
import { dropTables, migrate, requireSchema, tablesOf } from '#server/db/migrate.ts'
import { startNewHistory } from '#server/events/positions.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { Refusal } from '#server/refusal.ts'
import { isSecretOf, rekey } from '#server/secrets/key-rows.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { clock } from '#server/world/world.ts'
import { commandLog, runAsProgram, type Surroundings } from './command-line.ts'
import { type EventFilter, eventOptions, eventsAsJson, eventsAsTable, listEvents, parseFilter } from './events.ts'
import { importMembers } from './import.ts'
import { creditRecord, listings, plural } from './listings.ts'
import { loadFolder } from './load.ts'
import { seed } from './seed.ts'

const USAGE = `npm run db -- COMMAND

  migrate                    bring the schema up to date
  seed                       load the sample sponsors, packages and documents
  load DIR                   load your own: sponsors.csv, packages.csv, documents/*.html
  import FILE                import members from another system: see docs/guides/import.md; --dry-run only checks the file,
                             --invite emails everyone a link to set a password, --connection=NAME names the system the external ids come from
  list enrollments|members|sponsors|discrepancies|csp-reports
  credit USERNAME            which sponsors' links led to a member, and whether that record is intact
  events [FILTERS] [--json]  the security log, newest first; --member=USERNAME --kind=KIND --since=DAY --until=DAY
                             --address=IP --limit=NUMBER narrow it down
  backup FILE                write everything into one file (.jsonl.gz)
  restore FILE               restore a backup into an empty database
  rekey [--revoke]           make new keys, which are used ten minutes later; --revoke: the old ones have leaked
  reset [--empty] [--yes]    remove all of Foyer's tables and start over, with the sample data, or empty (always in production);
                             --yes is required if there may be data to lose`

class UsageError extends OperatorError {}

/** Unknown arguments are refused: `reset --dry-run` must not reset. `[--kind=]` stands for an option with a value. */
function checkArguments(form: string, args: string[]) {
  const [name, ...parts] = form.split(' ')
  const required = parts.filter((part) => !part.startsWith('['))
  const positional = args.filter((arg) => !parts.includes(`[${arg}]`) && !parts.includes(`[${arg.split('=')[0]}=]`))
  const unknown = positional.find((arg, index) => arg.startsWith('-') || index >= required.length)
  if (unknown !== undefined) throw new UsageError(`${name} has no argument '${unknown}'.`)
  const missing = required[positional.filter(Boolean).length]
  if (missing) throw new UsageError(`${missing} is missing.`)
}

/** Checks its arguments before the database is opened. The key of a command is its name and arguments. */
type Command = (args: string[], config: Config) => (db: Db) => Promise<string>

const commands: Record<string, Command> = {
  migrate: () => async (db) => {
    const names = await migrate(db, clock())
    return names.length ? `Applied ${names.join(', ')}.` : 'The schema is up to date.'
  },
  seed: (_args, { production }) => {
    if (production)
      throw new UsageError('Sample data cannot be loaded in production. Load your own with: npm run db -- load DIR')
    return async (db) => {
      await migrate(db, clock())
      return countsToText('Loaded', await seed(db, clock()))
    }
  },
  'load DIR':
    ([folder = ''], config) =>
    async (db) => {
      await migrate(db, clock())
      const warnings: string[] = []
      const warn = (where: string, warning: string) => warnings.push(`  ${where}: ${warning}`)
      const counts = await loadFolder(db, folder, clock(), warn, ourCategory(config))
      return [countsToText('Loaded', counts), ...(warnings.length ? ['Please check:', ...warnings] : [])].join('\n')
    },
  'import FILE [--dry-run] [--invite] [--connection=]': (args, config) => async (db) => {
    const elsewhere = keptElsewhere(config)
    if (elsewhere) throw new OperatorError(elsewhere)
    await requireSchema(db)
    const keys = await openKeys(db, config, { now: clock })
    const option = args.find((arg) => arg.startsWith('--connection='))?.slice('--connection='.length)
    return importMembers(
      { config, db, keys, now: clock, log: commandLog(config) },
      args.find((arg) => !arg.startsWith('--')) ?? '',
      {
        isDryRun: args.includes('--dry-run'),
        isInviting: args.includes('--invite'),
        connection: option ?? 'import',
      },
    )
  },
  'list LIST': ([what = '']) => {
    const listing = Object.hasOwn(listings, what) ? listings[what] : undefined
    if (!listing) throw new UsageError(`LIST must be one of: ${Object.keys(listings).join(', ')}.`)
    return async (db) => {
      await requireSchema(db)
      return listing(db)
    }
  },
  'credit USERNAME':
    ([username = '']) =>
    async (db) => {
      await requireSchema(db)
      const record = await creditRecord(db, username)
      if (!record) throw new OperatorError(`There is no member '${username}'.`)
      if (!record.isIntact) throw new OperatorError(record.text)
      return record.text
    },
  [`events ${eventOptions.map((name) => `[--${name}=]`).join(' ')} [--json]`]: (args, config) => {
    const options = args.map((arg) => /^--(\w+)=(.*)$/.exec(arg)?.slice(1) ?? [])
    const filter: EventFilter = Object.fromEntries(options.filter(([name]) => name))
    const parsed = parseFilter(filter)
    return async (db) => {
      await requireSchema(db)
      const events = await listEvents(db, await openKeys(db, config, { now: clock }), parsed)
      return args.includes('--json') ? eventsAsJson(events) : eventsAsTable(events)
    }
  },
  'backup FILE':
    ([file = '']) =>
    async (db) =>
      `Wrote ${plural(await backup(db, file), 'row')} to ${file}.`,
  'restore FILE':
    ([file = ''], config) =>
    async (db) => {
      await migrate(db, clock())
      return `Restored ${plural(await restore(db, file, (db) => makeUsable(db, config)), 'row')}.`
    },
  'rekey [--revoke]': (args, config) => async (db) => {
    await requireSchema(db)
    const revoke = args.includes('--revoke')
    const keys = await openKeys(db, config, { now: clock })
    const used_from = await inTransaction(db, async (db) => {
      await recordEvent({ db, keys, now: clock }, { kind: 'key_rotated', details: { revoke } })
      return rekey(db, config, clock(), { revoke })
    })
    return [
      `New keys were made. Every process uses them from ${used_from.toISOString()} on, without a restart.`,
      revoke
        ? 'From then on, the old keys only verify the audit log, and links in emails to reset a password must be requested again.'
        : 'What the old keys have signed stays valid.',
    ].join('\n')
  },
  'reset [--empty] [--yes]': (args, config) => async (db) => {
    const risk = args.includes('--yes') ? undefined : await dataToLose(db, config)
    if (risk) throw new UsageError(`A reset deletes all members and payments, and ${risk}. To confirm, add --yes.`)
    const isEmpty = config.production || args.includes('--empty')
    await inTransaction(db, async (db) => {
      await dropTables(db)
      await migrate(db, clock())
      if (!isEmpty) await seed(db, clock())
    })
    return isEmpty ? 'The database is empty.' : 'The database has the sample data.'
  },
}

/** Readers may have seen events that this backup lacks. */
async function makeUsable(db: Db, config: Config): Promise<void> {
  await requireSecret(db, config)
  await startNewHistory({ db, now: clock })
}

/** A backup is useless without the SECRET it was made with: better to say so now. */
async function requireSecret(db: Db, config: Config): Promise<void> {
  if (await isSecretOf(db, config)) return
  throw new OperatorError(
    'This backup was made with a different SECRET. Set SECRET or SECRET_PREVIOUS to that one. Nothing was restored.',
  )
}

/** Why a reset needs confirmation. An embedded database without members does not. */
async function dataToLose(db: Db, { production, DATABASE_URL }: Config): Promise<string | undefined> {
  if (production) return 'this is production'
  if (DATABASE_URL) return `DATABASE_URL is ${withoutPassword(DATABASE_URL)}`
  const hasTable = (await tablesOf(db)).has('member')
  return hasTable && (await db.selectFrom('member').select('id').limit(1).executeTakeFirst())
    ? 'this database has members'
    : undefined
}

/** 'Loaded 1 sponsor, 5 packages.' */
const countsToText = (verb: string, counts: Record<string, number>) => {
  const parts = Object.entries(counts).map(([nouns, count]) => plural(count, nouns.slice(0, -1)))
  return `${verb} ${parts.join(', ')}.`
}

export async function main(
  [name = '', ...args]: string[],
  { env, open = openDatabase }: Surroundings = {},
): Promise<number> {
  if ([name, ...args].some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(USAGE)
    return 0
  }
  const [form, command] = Object.entries(commands).find(([form]) => form.split(' ')[0] === name) ?? []
  if (!form || !command) {
    console.error(USAGE)
    return 2
  }
  let database: Database | undefined
  try {
    const config = readConfig(env)
    checkArguments(form, args)
    const run = command(args, config)
    database = await open(config)
    console.log(await run(database.db))
    await database.markInitialized()
    return 0
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : (explainError(error) ?? error))
    if (error instanceof UsageError) console.error(`\n${USAGE}`)
    return 1
  } finally {
    await database?.close()
  }
}

if (import.meta.main) await runAsProgram(main)
