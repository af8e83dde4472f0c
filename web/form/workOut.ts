import { api } from '#web/api.ts'
import { solve } from './solve.ts' // comes with its step: a browser may never ask again for what once could not be fetched

/** Asks our server for a challenge and works it out; takes about a second. */
export const workOut = async (signal: AbortSignal): Promise<string> =>
  solve(await api.getChallenge({}, { signal }), signal)
