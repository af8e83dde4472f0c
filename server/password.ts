import { hash } from '@node-rs/argon2'
import type { Config } from './config.ts'
import { Refusal } from './refusal.ts'

const ARGON2ID = 2
const argon2id = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

let running = 0
const waiting: (() => void)[] = []

/** Hashes a password. Few run at once and not too many wait: a crowd is told to come back instead of taking all memory. */
export async function hashPassword(
  password: string,
  { HASHES_AT_ONCE, HASHES_WAITING }: Pick<Config, 'HASHES_AT_ONCE' | 'HASHES_WAITING'>,
): Promise<string> {
  if (running >= HASHES_AT_ONCE) {
    if (waiting.length >= HASHES_WAITING)
      throw new Refusal(503, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
    await new Promise<void>((go) => waiting.push(go))
  } else running++
  try {
    return await hash(password, argon2id)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
