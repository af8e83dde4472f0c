import type { Db } from '#server/db/db.ts'

const samples = new URL('samples/', import.meta.url)

/** The sample data is a folder like an operator's. The code that reads it is loaded only if needed. */
export async function seed(db: Db, now: Date): Promise<Record<string, number>> {
  const { loadFolder } = await import('./load.ts')
  return loadFolder(db, samples, now)
}
