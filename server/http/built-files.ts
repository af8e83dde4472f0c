import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { World } from '#server/world.ts'

const KEPT_DAYS = 30
const HASHED = /^[\w-]+-[\w-]{8}\.js$/
const unpack = promisify(brotliDecompress)

/**
 * Shares the build's scripts with all processes, those of later versions too: a page that somebody opened before an update still
 * finds the rest of itself. Run once a day, since what nobody has on disk any more is forgotten after a while.
 */
export async function storeBuiltFiles(world: World, folder: string): Promise<void> {
  const { db, now } = world
  const names = (await readdir(join(folder, 'assets'))).filter((name) => HASHED.test(name))
  if (!names.length) return
  const kept = await db
    .updateTable('built_file')
    .set({ kept_at: now() })
    .where('name', 'in', names)
    .returning(['name', 'seal'])
    .execute()
  const seals = new Map(kept.map(({ name, seal }) => [name, seal]))
  for (const name of names) {
    const content = await readFile(join(folder, 'assets', `${name}.br`))
    const seal = sealOf(world, name, content)
    if (seals.get(name) === seal) continue
    await db
      .insertInto('built_file')
      .values({ name, content, seal, kept_at: now() })
      .onConflict((clash) => clash.column('name').doUpdateSet({ content, seal }))
      .execute()
  }
  const long = new Date(now().getTime() - KEPT_DAYS * 86_400_000)
  await db.deleteFrom('built_file').where('kept_at', '<', long).execute()
}

/** A script of another version, as the browser likes it, if some process has kept it. */
export async function findBuiltFile(world: World, name: string, accepted: string) {
  if (!HASHED.test(name)) return undefined
  const found = await world.db.selectFrom('built_file').selectAll().where('name', '=', name).executeTakeFirst()
  if (!found) return undefined
  const content = Buffer.from(found.content)
  if (found.seal !== sealOf(world, name, content)) {
    world.log.error({ name }, 'a script in the database is not ours')
    return undefined
  }
  return /\bbr\b/.test(accepted) ? { encoding: 'br', bytes: content } : { bytes: await unpack(content) }
}

const sealOf = ({ keys }: World, name: string, content: Buffer) =>
  keys.hmac('built files', `${name} ${hash('sha256', content, 'hex')}`)
