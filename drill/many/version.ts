import { cp, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Foyer as its next version would be: the same, with other names for all scripts, as a build of other sources has. */
export async function nextVersion(home: string): Promise<string> {
  const folder = await mkdtemp(join(home, 'version-'))
  for (const part of ['server', 'contract', 'dist', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const names = await scriptsIn(folder)
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

/** The hash of its name read backwards. */
const renamed = (name: string) => name.replace(/(?<=-)([\w-]{8})(?=\.js$)/, (hash) => [...hash].reverse().join(''))

/** The scripts that a version came with. */
export async function scriptsIn(version = root): Promise<string[]> {
  const names = await readdir(join(version, 'dist/web/assets'))
  return names.filter((name) => name.endsWith('.js'))
}
