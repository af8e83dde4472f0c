import { cp, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Tables that are in use while a version is rolled out. */
const tables = ['member', 'payment', 'package', 'job']

/** A copy of Foyer as a later version: other names for all scripts, and one migration for each version. */
export async function createLaterVersion(home: string, version: number): Promise<string> {
  const folder = await mkdtemp(join(home, 'version-'))
  for (const part of ['server', 'contract', 'dist', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (let number = 1; number <= version; number++)
    await writeFile(
      join(folder, 'server/db/migrations', `9${number}_later.sql`),
      tables.map(addColumn(number)).join(''),
    )
  const names = await scriptsIn(folder)
  const newName = (name: string) => name.replace(HASH, (hash) => hash.slice(version) + hash.slice(0, version))
  const assets = join(folder, 'dist/web/assets')
  for (const name of names)
    for (const end of ['', '.br', '.gz']) await rename(join(assets, name + end), join(assets, newName(name) + end))
  const page = join(folder, 'dist/page.json')
  const text = await readFile(page, 'utf8')
  await writeFile(
    page,
    names.reduce((result, name) => result.replaceAll(name, newName(name)), text),
  )
  return folder
}

const addColumn = (number: number) => (table: string) =>
  `alter table ${table} add column later_${number} text not null default '';\n`

/** The hash in the name of a script. */
const HASH = /(?<=-)[\w-]{8}(?=\.js$)/

/** The scripts of a version. */
export async function scriptsIn(version = root): Promise<string[]> {
  const names = await readdir(join(version, 'dist/web/assets'))
  return names.filter((name) => name.endsWith('.js'))
}
