import { api } from '#web/api.ts'
import { solveChallengeInLanes } from './proofOfWork.ts' // comes with its step: a browser may never ask again for what once could not be fetched

/** The server takes a solution for 20 minutes. */
export const SOLUTION_LIFETIME_MS = 15 * 60_000

/** Asks our server for a challenge and works it out; takes about a second. */
export const solveCaptcha = async (signal: AbortSignal): Promise<string> =>
  solveChallengeInLanes(await api.getChallenge({}, { signal }), signal)
