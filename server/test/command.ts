import { format } from 'node:util'
import { vi } from 'vitest'
import type { Surroundings } from '#server/cli/command-line.ts'
import type { Database } from '#server/db/db.ts'

type Main = (args: string[], surroundings: Surroundings) => Promise<number>

/**
 * Runs one of the operator's commands in this process, and collects what it prints. Starting a program takes much longer, and so
 * does opening an embedded database, which therefore can be an open one.
 */
export async function callCommand(main: Main, args: string[], env: Record<string, string>, database?: Database) {
  let output = ''
  const print = (...values: unknown[]) => {
    output += `${format(...values)}\n`
  }
  const consoles = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(print))
  try {
    const code = await main(args, { env, ...(database && { open: async () => withoutClose(database) }) })
    return { code, output }
  } finally {
    for (const console of consoles) console.mockRestore()
  }
}

const withoutClose = (database: Database): Database => ({ ...database, close: async () => undefined })
