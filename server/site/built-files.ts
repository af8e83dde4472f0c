import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { World } from '#server/world/world.ts'

const KEEP_DAYS = 30
const HASHED_NAME = /^[\w-]+-[\w-]{8}\.js$/
const decompress = promisify(brotliDecompress)

/**
 * Stores the build's scripts in the database, so that a page that was opened before an update can still load its other
 * scripts from the new version. Runs daily: scripts that no process has had on disk for a while are deleted.
 */
export async function storeBuiltFiles(world: World, folder: string): Promise<void> {
  const { db, now } = world
  const names = (await readdir(join(folder, 'assets'))).filter((name) => HASHED_NAME.test(name))
  if (!names.length) return
  const stored = await db
    .updateTable('built_file')
    .set({ kept_at: now() })
    .where('name', 'in', names)
    .returning(['name', 'seal'])
    .execute()
  const seals = new Map(stored.map(({ name, seal }) => [name, seal]))
  for (const name of names) {
    const content = await readFile(join(folder, 'assets', `${name}.br`))
    const seal = sealOf(world, name, content)
    if (seals.get(name) === seal) continue
    await db
      .insertInto('built_file')
      .values({ name, content, seal, kept_at: now() })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ content, seal }))
      .execute()
  }
  const expired = new Date(now().getTime() - KEEP_DAYS * 86_400_000)
  await db.deleteFrom('built_file').where('kept_at', '<', expired).execute()
}

/** A script of another version, in an encoding that the browser accepts. */
export async function findBuiltFile(world: World, name: string, acceptEncoding: string) {
  if (!HASHED_NAME.test(name)) return undefined
  const row = await world.db.selectFrom('built_file').selectAll().where('name', '=', name).executeTakeFirst()
  if (!row) return undefined
  const content = Buffer.from(row.content)
  if (!world.keys.isHmac('built files', sealedText(name, content), row.seal)) {
    world.log.error({ name }, 'ignored a script in the database whose signature is wrong')
    return undefined
  }
  return /\bbr\b/.test(acceptEncoding) ? { encoding: 'br', bytes: content } : { bytes: await decompress(content) }
}

const sealOf = ({ keys }: World, name: string, content: Buffer) => keys.hmac('built files', sealedText(name, content))

const sealedText = (name: string, content: Buffer) => `${name} ${hash('sha256', content, 'hex')}`
