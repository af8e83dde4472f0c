import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'

/** The lanes share the work; the browser does each one's hashing off the page's thread. */
const LANES = 2

/** Works out a challenge of our server. Answers with what it wants to see of it. */
export async function solveChallengeInLanes(given: Record<string, unknown>, signal: AbortSignal): Promise<string> {
  const challenge = given as unknown as Challenge
  const controller = new AbortController()
  signal.addEventListener('abort', () => controller.abort())
  const lane = async (counterStart: number) => {
    const solution = await solveChallenge({ challenge, deriveKey, counterStart, counterStep: LANES, controller })
    if (!solution) throw new Error('The challenge was not solved in time.')
    return solution
  }
  const solution = await Promise.any(Array.from({ length: LANES }, (_, start) => lane(start)))
  controller.abort()
  return btoa(JSON.stringify({ challenge, solution }))
}
