import { hash, verify } from '@node-rs/argon2'
import type { Config } from '#server/config/config.ts'
import { tooBusy } from '#server/refusal.ts'

const ARGON2ID = 2
const argon2id = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

type Room = Pick<Config, 'HASHES_AT_ONCE' | 'HASHES_WAITING'>

/** A password is the same on every keyboard, also on one that types an accent as a sign of its own. */
const onAnyKeyboard = (password: string) => password.normalize()

export const hashPassword = (password: string, room: Room): Promise<string> =>
  inTurn(room, () => hash(onAnyKeyboard(password), argon2id))

/** Whether a password is the one behind a hash. Without a hash it is not, and that takes as long to find out. */
export const verifyPassword = (password: string, password_hash: string | undefined, room: Room): Promise<boolean> =>
  inTurn(backRow(room), async () => {
    nobodys ??= hash('nobody', argon2id).catch((error: unknown) => {
      nobodys = undefined
      throw error
    })
    const standIn = await nobodys // waited for by everybody, so that the first one is not told by it either
    const isSame = await verify(password_hash ?? standIn, onAnyKeyboard(password))
    return isSame && password_hash !== undefined
  })

/** Whoever guesses passwords may fill a quarter of the places: who joins still finds one. */
const backRow = ({ HASHES_AT_ONCE, HASHES_WAITING }: Room): Room => ({
  HASHES_AT_ONCE,
  HASHES_WAITING: Math.ceil(HASHES_WAITING / 4),
})

let nobodys: Promise<string> | undefined

let running = 0
const waiting: (() => void)[] = []

/** Few run at once and not too many wait: a crowd is told to come back instead of taking all memory. */
async function inTurn<Result>({ HASHES_AT_ONCE, HASHES_WAITING }: Room, work: () => Promise<Result>): Promise<Result> {
  if (running >= HASHES_AT_ONCE) {
    if (waiting.length >= HASHES_WAITING) throw tooBusy()
    await new Promise<void>((go) => waiting.push(go))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
