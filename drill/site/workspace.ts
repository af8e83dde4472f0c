import type { Database } from '#server/db/db.ts'

/** A migrated and seeded database of its own, and a folder for everything else that a drill writes. */
export type Workspace = {
  folder: string
  /** The settings that point Foyer to this database. */
  settings: Record<string, string>
  /** Opens the database from outside. An embedded one only while no Foyer runs on it. */
  open: () => Promise<Database>
  remove: () => Promise<void>
}
