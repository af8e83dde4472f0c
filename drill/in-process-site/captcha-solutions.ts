import { API, calls } from '#contract/api.ts'
import { solve } from '#server/test/solve-captcha.ts'
import { solverAddress } from '../test-data.ts'
import type { InProcessSite, Sender, SiteClient } from './in-process-site.ts'

/** Gets a challenge and solves it. Undefined if the challenge was refused. */
export async function solveCaptcha(site: SiteClient, sender: Sender): Promise<string | undefined> {
  const reply = await site.get(`${API}${calls.getChallenge.path}`, sender)
  return reply.statusCode === 200 ? solve(reply.json()) : undefined
}

const VALID_SECONDS = 15 * 60
const SOLUTIONS_PER_ADDRESS = 100

type Solution = { text: string; validUntil: number }

/** Solutions that attackers share. One that was not consumed is used again as long as it is valid. */
export function createSolutionPool(site: InProcessSite) {
  let count = 0
  let unused: Solution[] = []
  const nowSeconds = () => site.world.now().getTime() / 1000
  return {
    async take(): Promise<Solution> {
      for (let solution = unused.pop(); solution; solution = unused.pop())
        if (solution.validUntil > nowSeconds()) return solution
      unused = []
      const validUntil = nowSeconds() + VALID_SECONDS
      const address = solverAddress(Math.floor(count++ / SOLUTIONS_PER_ADDRESS))
      return { text: (await solveCaptcha(site, { address })) ?? '', validUntil }
    },
    putBack: (solution: Solution) => unused.push(solution),
  }
}
