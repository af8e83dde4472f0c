import { api } from '#web/api.ts'
import { solve } from './solve.ts' // comes with its step: a browser may never ask again for what once could not be fetched

/** The server takes a solution for 20 minutes. */
export const GOOD_FOR = 15 * 60_000

/** Asks our server for a challenge and works it out; takes about a second. */
export const workOut = async (signal: AbortSignal): Promise<string> =>
  solve(await api.getChallenge({}, { signal }), signal)
