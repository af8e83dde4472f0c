import { hash, verify } from '@node-rs/argon2'
import type { Config } from '#server/config/config.ts'
import { type Applicant, fairQueue } from './fair-queue.ts'

const ARGON2ID = 2
const argon2id = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

type Capacity = Pick<Config, 'HASHES_AT_ONCE' | 'HASHES_WAITING'>
const toRoom = ({ HASHES_AT_ONCE, HASHES_WAITING }: Capacity) => ({ atOnce: HASHES_AT_ONCE, waiting: HASHES_WAITING })

/**
 * A hash takes 19 MB of memory, so only a few run at once, and strangers must not be able to take them all. known: a member or
 * colleague who is signed in, in a browser they have used before, or with a link from their email. sign_in: strangers, among
 * them those who guess. enrollment: new members. The key is a person or a network.
 */
const lanes = ['known', 'sign_in', 'enrollment'] as const
export type HashApplicant = Applicant<(typeof lanes)[number]>
const queue = fairQueue(lanes)

/** Keyboards differ in how they type an accented letter: as one character or as two. */
const normalize = (password: string) => password.normalize()

export const hashPassword = (password: string, capacity: Capacity, by: HashApplicant): Promise<string> =>
  queue(by, toRoom(capacity), () => hash(normalize(password), argon2id))

/** Without a hash, as before an imported member's first password, the result is false after the same time, so timing doesn't reveal whether a member exists. */
export const verifyPassword = (
  password: string,
  password_hash: string | undefined,
  capacity: Capacity,
  by: HashApplicant,
): Promise<boolean> =>
  queue(by, toRoom(capacity), async () => {
    const dummy = await dummyHash() // always awaited, because the first call takes longer
    const isSame = await verify(password_hash || dummy, normalize(password))
    return isSame && Boolean(password_hash)
  })

let dummyHashCache: Promise<string> | undefined

function dummyHash(): Promise<string> {
  dummyHashCache ??= hash('nobody', argon2id).catch((error: unknown) => {
    dummyHashCache = undefined
    throw error
  })
  return dummyHashCache
}
