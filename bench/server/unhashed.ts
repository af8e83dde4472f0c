import { createHash } from 'node:crypto'
import { registerHooks } from 'node:module'

// Loaded before the product: it gets this file for its argon2. The product itself has no way to leave the hash out.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@node-rs/argon2' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
})

/** As long as a real one, so that the rows are as long. */
const LENGTH = 97

export const hash = async (password: string): Promise<string> =>
  createHash('sha512').update(password).digest('base64').padEnd(LENGTH, '=')

export const verify = async (hashed: string, password: string): Promise<boolean> => hashed === (await hash(password))
