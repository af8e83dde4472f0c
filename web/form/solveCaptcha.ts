import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { api } from '#web/api.ts'

/** The server accepts a solution for 20 minutes. */
export const SOLUTION_LIFETIME_MS = 15 * 60_000

/** Both work at the same time: the browser hashes off the main thread. */
const LANES = 2

/** Fetches a proof-of-work challenge from our server and solves it, which takes about a second. */
export async function solveCaptcha(signal: AbortSignal): Promise<string> {
  const challenge = (await api.getChallenge({}, { signal })) as unknown as Challenge
  const controller = new AbortController()
  signal.addEventListener('abort', () => controller.abort())
  const solveLane = async (counterStart: number) => {
    const solution = await solveChallenge({ challenge, deriveKey, counterStart, counterStep: LANES, controller })
    if (!solution) throw new Error('The challenge was not solved in time.')
    return solution
  }
  const solution = await Promise.any(Array.from({ length: LANES }, (_, start) => solveLane(start)))
  controller.abort()
  return btoa(JSON.stringify({ challenge, solution }))
}
