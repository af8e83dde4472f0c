import { api } from '#web/api.ts'

/** Asks our server for a challenge and works it out; takes about a second. */
export async function workOut(signal: AbortSignal): Promise<string> {
  const [challenge, { solve }] = await Promise.all([api.getChallenge({}, { signal }), import('./solve.ts')])
  return solve(challenge, signal)
}
