import type { Database } from '#server/db/db.ts'
import type { Foyer, Starting } from './site/processes.ts'

/** A line of the table at the end, which also names the part and the database. */
export type Row = {
  /** What was done, in numbers. */
  done: string
  asked: string
  found: string
  passed: boolean
}

/** A migrated and seeded database of its own, and a folder for what else a drill writes. */
export type Place = {
  folder: string
  /** The settings that lead Foyer there. */
  settings: Record<string, string>
  /** Opened from outside. The embedded one only while no Foyer runs on it. */
  open: () => Promise<Database>
  remove: () => Promise<void>
}

/** One of the two kinds of database. */
export type Ground = {
  name: 'PostgreSQL' | 'embedded'
  fresh: () => Promise<Place>
  /** A database server that can be killed; the embedded database dies with Foyer. */
  server?: { kill: () => Promise<void>; restart: () => Promise<void> }
  /** Starts what visitors see there, if that is more than one Foyer. */
  start?: (starting: Starting) => Promise<Foyer>
}

/** How much is to be drilled. */
export type Scale = {
  short: boolean
  /** Overwrites the line of progress of this database. */
  progress: (database: string, line: string) => void
  /** A line that stays. */
  say: (line: string) => void
}

export type Part = (drill: Scale, ground: Ground) => Promise<Row[]>

export const brokeOff = (found: string): Row => ({ done: 'broke off', asked: '', found, passed: false })

/** What a part finds. One that breaks off has a row that says so. */
export const rowsOf = (part: Part, drill: Scale, ground: Ground): Promise<Row[]> =>
  part(drill, ground).catch((error: unknown) => {
    drill.say(error instanceof Error ? String(error.stack) : String(error))
    return [brokeOff('see above')]
  })
