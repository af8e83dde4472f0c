import { type Config, readConfig } from '#server/config/config.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { clock } from '#server/world.ts'
import { backup, restore } from './backup.ts'
import { type Database, type Db, inTransaction, openDatabase } from './db.ts'
import { creditRecord, listings } from './listings.ts'
import { loadFolder } from './load.ts'
import { dropTables, migrate, requireSchema, tablesOf } from './migrate.ts'
import { seed } from './ready.ts'

const USAGE = `npm run db -- COMMAND

  migrate                    bring the schema up to date
  seed                       load the sample sponsors, packages and documents
  load DIR                   load your own: sponsors.csv, packages.csv, documents/*.html
  list enrollments|members|sponsors|differences
  credit USERNAME            which sponsors' links led to a member, and whether that record is whole
  backup FILE                write everything into one file (.jsonl.gz)
  restore FILE               put a backup into an empty database
  reset [--empty] [--yes]    remove all of Foyer's tables and begin again, with the sample data or, as always in production, empty;
                             --yes where there may be something to lose`

class Usage extends OperatorError {}

/** A word that the form does not name is a slip, or was meant to keep the command from its work. */
function checkWords(form: string, words: string[]) {
  const [name, ...parts] = form.split(' ')
  const needed = parts.filter((part) => !part.startsWith('['))
  const given = words.filter((word) => !parts.includes(`[${word}]`))
  const unknown = given.find((word, place) => word.startsWith('-') || place >= needed.length)
  if (unknown !== undefined) throw new Usage(`${name} does not know '${unknown}'.`)
  const missing = needed[given.filter(Boolean).length]
  if (missing) throw new Usage(`${missing} is missing.`)
}

/** It stands under its form. The words are looked at first, and only then is the database opened. */
type Command = (words: string[], config: Config) => (db: Db) => Promise<string>

const commands: Record<string, Command> = {
  migrate: () => async (db) => {
    const names = await migrate(db)
    return names.length ? `Applied ${names.join(', ')}.` : 'The schema is up to date.'
  },
  seed: (_words, { production }) => {
    if (production)
      throw new Usage('Sample data has no place in production. Load your own with: npm run db -- load DIR')
    return async (db) => {
      await migrate(db)
      return counted('Loaded', await seed(db, clock()))
    }
  },
  'load DIR':
    ([folder = '']) =>
    async (db) => {
      await migrate(db)
      return counted('Loaded', await loadFolder(db, folder, clock()))
    },
  'list LIST': ([what = '']) => {
    const listing = Object.hasOwn(listings, what) ? listings[what] : undefined
    if (!listing) throw new Usage(`There is a list of ${Object.keys(listings).join(', ')}.`)
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
      if (!record.isWhole) throw new OperatorError(record.said)
      return record.said
    },
  'backup FILE':
    ([file = '']) =>
    async (db) =>
      `Wrote ${await backup(db, file)} rows to ${file}.`,
  'restore FILE':
    ([file = '']) =>
    async (db) => {
      await migrate(db)
      return `Restored ${await restore(db, file)} rows.`
    },
  'reset [--empty] [--yes]': (words, config) => async (db) => {
    const precious = words.includes('--yes') ? undefined : await whyPrecious(db, config)
    if (precious)
      throw new Usage(`A reset removes every member and every payment, and ${precious}. If you mean it, add --yes.`)
    const isEmpty = config.production || words.includes('--empty')
    await inTransaction(db, async (db) => {
      await dropTables(db)
      await migrate(db)
      if (!isEmpty) await seed(db, clock())
    })
    return isEmpty ? 'The database is empty.' : 'The database holds the sample data.'
  },
}

/** What should not be removed by a slip; a folder in which nobody has joined yet may be. */
async function whyPrecious(db: Db, { production, DATABASE_URL }: Config): Promise<string | undefined> {
  if (production) return 'this is production'
  if (DATABASE_URL) return `DATABASE_URL names ${withoutKeys(DATABASE_URL)}`
  const hasTable = (await tablesOf(db)).has('member')
  return hasTable && (await db.selectFrom('member').select('id').limit(1).executeTakeFirst())
    ? 'somebody has joined here'
    : undefined
}

const withoutKeys = (url: string) => `${new URL(url).host}${new URL(url).pathname}`

/** 'Loaded 1 sponsor, 5 packages.' */
const counted = (did: string, counts: Record<string, number>) => {
  const said = Object.entries(counts).map(([nouns, count]) => `${count} ${count === 1 ? nouns.slice(0, -1) : nouns}`)
  return `${did} ${said.join(', ')}.`
}

/** What an operator does from the terminal. Problems they can mend are one sentence; anything else is a bug and shows its stack. */
async function main([name = '', ...words]: string[]): Promise<number> {
  if ([name, ...words].some((word) => ['--help', '-h'].includes(word))) {
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
    const config = readConfig()
    checkWords(form, words)
    const work = command(words, config)
    database = await openDatabase(config)
    console.log(await work(database.db))
    await database.finished()
    return 0
  } catch (error) {
    console.error(explainError(error) ?? error)
    if (error instanceof Usage) console.error(`\n${USAGE}`)
    return 1
  } finally {
    await database?.close()
  }
}

process.exitCode = await main(process.argv.slice(2))
