import { hash, verify } from '@node-rs/argon2'
import type { Config } from '#server/config/config.ts'
import { tooBusy } from '#server/refusal.ts'

const ARGON2ID = 2
const argon2id = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

type Capacity = Pick<Config, 'HASHES_AT_ONCE' | 'HASHES_WAITING'>

/** Keyboards differ in how they type an accented letter: as one character or as two. */
const normalize = (password: string) => password.normalize()

export const hashPassword = (password: string, capacity: Capacity): Promise<string> =>
  withSemaphore(capacity, () => hash(normalize(password), argon2id))

/** Without a hash, the result is false after the same time, so that timing does not reveal whether a member exists. */
export const verifyPassword = (
  password: string,
  password_hash: string | undefined,
  capacity: Capacity,
): Promise<boolean> =>
  withSemaphore(forSignIns(capacity), async () => {
    const dummy = await dummyHash() // always awaited, because the first call takes longer
    const isSame = await verify(password_hash ?? dummy, normalize(password))
    return isSame && password_hash !== undefined
  })

let dummyHashCache: Promise<string> | undefined

function dummyHash(): Promise<string> {
  dummyHashCache ??= hash('nobody', argon2id).catch((error: unknown) => {
    dummyHashCache = undefined
    throw error
  })
  return dummyHashCache
}

/** Sign-ins may use a quarter of the queue, so that guessing passwords does not keep others from joining. */
const forSignIns = ({ HASHES_AT_ONCE, HASHES_WAITING }: Capacity): Capacity => ({
  HASHES_AT_ONCE,
  HASHES_WAITING: Math.ceil(HASHES_WAITING / 4),
})

let running = 0
const waiting: (() => void)[] = []

/** A hash takes 19 MB of memory, so only a few run at once and the queue is bounded. */
async function withSemaphore<Result>(
  { HASHES_AT_ONCE, HASHES_WAITING }: Capacity,
  work: () => Promise<Result>,
): Promise<Result> {
  if (running >= HASHES_AT_ONCE) {
    if (waiting.length >= HASHES_WAITING) throw tooBusy()
    await new Promise<void>((resume) => waiting.push(resume))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
