import { readFile, writeFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { readConfig } from '#server/config/config.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { runAsProgram, type Surroundings } from './command-line.ts'
import { differences } from './inventory/check.ts'
import { Inventory, makeInventory } from './inventory/inventory.ts'
import { plural, table } from './listings.ts'

const FILE = 'script-inventory.json'

const USAGE = `npm run scripts:inventory [-- FILE]
  writes the scripts that pages with a card form can load, with hash, purpose and owner (default: ${FILE})

npm run scripts:check -- URL [FILE]
  compares what a running site serves with that file. Exit code: 0 if it is the same, 1 if it differs, 2 if it could not be compared`

const commands: Record<string, (args: string[], env?: Surroundings['env']) => Promise<number>> = {
  inventory: async ([file = FILE, ...more], env) => {
    if (more.length || file.startsWith('-')) return printUsage()
    const inventory = await makeInventory(readConfig(env))
    await writeFile(file, `${JSON.stringify(inventory, null, 2)}\n`)
    const rows = inventory.scripts.map(({ file, purpose, owner, sha384 }) => [file, purpose, owner, sha384])
    console.log(table(['script', 'purpose', 'owner', 'SHA-384'], rows))
    console.log(`Wrote ${plural(rows.length, 'script')} to ${file}.`)
    return 0
  },
  check: async ([url = '', file = FILE, ...more]) => {
    if (more.length || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return printUsage()
    const inventory = await readInventory(file)
    const found = await differences(new URL(url).origin, inventory)
    console.log(
      found.length
        ? found.join('\n')
        : `${new URL(url).origin} serves what ${file} says: ${plural(inventory.pages.length, 'page')}, ${plural(inventory.scripts.length, 'script')}.`,
    )
    return found.length ? 1 : 0
  },
}

function printUsage(): number {
  console.error(USAGE)
  return 2
}

async function readInventory(file: string): Promise<Inventory> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new OperatorError(`${file} cannot be read: ${error.message}`)
  })
  try {
    return z.parse(Inventory, JSON.parse(text))
  } catch {
    throw new OperatorError(`${file} is not an inventory. Make one with: npm run scripts:inventory`)
  }
}

export const main = ([name = '', ...args]: string[], { env }: Surroundings = {}): Promise<number> =>
  (commands[name] ?? (async () => printUsage()))(args, env).catch((error: unknown) => {
    console.error(explainError(error) ?? error)
    return 2
  })

if (import.meta.main) await runAsProgram(main)
