import { cp, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The tables that everybody reads and writes while a version is rolled out. */
const tables = ['member', 'payment', 'package', 'job']

/** Foyer some versions later: the same, with other names for all scripts, and with a migration for each version. */
export async function laterVersion(home: string, number: number): Promise<string> {
  const folder = await mkdtemp(join(home, 'version-'))
  for (const part of ['server', 'contract', 'dist', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (let one = 1; one <= number; one++)
    await writeFile(join(folder, 'server/db/migrations', `9${one}_later.sql`), tables.map(addColumn(one)).join(''))
  const names = await scriptsIn(folder)
  const renamed = (name: string) => name.replace(HASH, (hash) => hash.slice(number) + hash.slice(0, number))
  const assets = join(folder, 'dist/web/assets')
  for (const name of names)
    for (const end of ['', '.br', '.gz']) await rename(join(assets, name + end), join(assets, renamed(name) + end))
  const page = join(folder, 'dist/page.json')
  const text = await readFile(page, 'utf8')
  await writeFile(
    page,
    names.reduce((words, name) => words.replaceAll(name, renamed(name)), text),
  )
  return folder
}

const addColumn = (number: number) => (table: string) =>
  `alter table ${table} add column later_${number} text not null default '';\n`

/** In the name of a script. */
const HASH = /(?<=-)[\w-]{8}(?=\.js$)/

/** The scripts that a version came with. */
export async function scriptsIn(version = root): Promise<string[]> {
  const names = await readdir(join(version, 'dist/web/assets'))
  return names.filter((name) => name.endsWith('.js'))
}
