import { parseArgs } from 'node:util'
import type { World } from '#server/world/world.ts'
import { UsageError } from '../command-line.ts'

/** The parts of the world that `npm run connect` needs. */
export type ConnectContext = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>

/** '' and false if it wasn't given. */
export type Options = Record<string, string | boolean>

export type ConnectCommand = {
  required: string[]
  optional?: string[]
  /** 'string': it takes a value. */
  options?: Record<string, 'string' | 'boolean'>
  run: (context: ConnectContext, args: string[], options: Options) => Promise<string>
}

export function readOptions({ options = {} }: ConnectCommand, args: string[]) {
  const types = Object.entries(options)
  const config = Object.fromEntries(types.map(([name, type]) => [name, { type }]))
  try {
    const { positionals, values } = parseArgs({ args, options: config, allowPositionals: true })
    const empty = types.map(([name, type]): [string, string | boolean] => [name, type === 'string' ? '' : false])
    return { positionals, options: { ...Object.fromEntries(empty), ...values } as Options }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Checks what the operator typed by a rule of the contract. */
export function checked<Value>(result: { data?: Value | undefined; error?: { issues: { message: string }[] } }): Value {
  if (result.data === undefined) throw new UsageError(result.error?.issues[0]?.message ?? 'This is not valid.')
  return result.data
}
