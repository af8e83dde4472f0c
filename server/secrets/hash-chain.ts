import { hash as digest } from 'node:crypto'
import type { Purpose } from './purposes.ts'
import type { Keys } from './secrets.ts'

/**
 * Rows that are numbered from 1, each with a hash that covers the hash before it: no row can be changed, removed or added
 * in between unnoticed. Sponsors' links, the audit log and the security log are such chains.
 */
export type Link = { position: number; hash: string }

/** What the first row comes after. */
export const START: Link = { position: 0, hash: '' }

type Hasher = { hash: (text: string) => string; isHash: (text: string, hash: string) => boolean }

export const plainHasher: Hasher = {
  hash: (text) => digest('sha256', text, 'hex'),
  isHash: (text, hash) => plainHasher.hash(text) === hash,
}

/** Nobody can rebuild the chain with access to the database alone. Older rows were hashed with older keys. */
export const keyedHasher = (keys: Pick<Keys, 'hmac' | 'isHmac'>, purpose: Purpose): Hasher => ({
  hash: (text) => keys.hmac(purpose, text),
  isHash: (text, hash) => keys.isHmac(purpose, text, hash),
})

/** Stored hashes are hashes of this text, so it can never change. */
const textOf = (previous: string, values: unknown[]) => JSON.stringify([previous, ...values])

/** The hash of a row that is added. Its position is one of its values. */
export const hashAfter = (hasher: Hasher, previous: string, values: unknown[]): string =>
  hasher.hash(textOf(previous, values))

type StoredRow = { position: number | null; hash: string | null }

/** What is wrong with the row that should come next. */
export function checkNext(
  hasher: Hasher,
  previous: Link,
  row: StoredRow | undefined,
  values: (position: number) => unknown[],
): 'missing' | 'changed' | undefined {
  const position = previous.position + 1
  if (!row || Number(row.position) !== position) return 'missing'
  return hasher.isHash(textOf(previous.hash, values(position)), row.hash ?? '') ? undefined : 'changed'
}
