import type { Workspace } from '../../drill/site/workspace.ts'
import { countUnfinishedEnrollments, waitForJobs } from './jobs.ts'
import type { Foyer, Program } from './programs/programs.ts'
import type { VisitorsReply, VisitorsRequest } from './programs/visitors.ts'

/** How many visitors submit their enrollment at the same time. */
export const CONCURRENT_VISITORS = 12

/** Visitors can send an IP address of their own and solve the captcha quickly. Checking it costs as much as in production. */
export const visitorSettings = { TRUST_PROXY: 'loopback', CAPTCHA_COST: '5000', CAPTCHA_COUNTER: '2' }

type Setup = {
  visitors: Pick<Program, 'request'>
  foyer: Pick<Foyer, 'url'>
  database: Workspace
  milliseconds: number
}

/** Returns a function that measures complete enrollments per second. Visitors are prepared before the time starts. */
export function enrollmentRate({ visitors, foyer: { url }, database, milliseconds }: Setup): () => Promise<number> {
  let highestRate = 150
  return async () => {
    const prepare = Math.ceil((highestRate * 1.5 * milliseconds) / 1000) + CONCURRENT_VISITORS
    await runVisitors(visitors, { prepare, url, concurrency: CONCURRENT_VISITORS })
    const reply = await runVisitors(visitors, { submit: milliseconds, url, concurrency: CONCURRENT_VISITORS })
    const unfinished = await countUnfinishedEnrollments(database)
    await waitForJobs(database) // they must not slow down the other side
    const rate = ((reply.approved - unfinished) * 1000) / reply.milliseconds
    highestRate = Math.max(highestRate, rate)
    return rate
  }
}

/** Sends a request to the visitors' program, and throws if an enrollment was not approved. */
export async function runVisitors(visitors: Pick<Program, 'request'>, request: VisitorsRequest) {
  const reply = await visitors.request<VisitorsReply>(request)
  if (reply.failures.length) throw new Error(`Some enrollments were not approved: ${reply.failures.join('; ')}`)
  return reply
}
