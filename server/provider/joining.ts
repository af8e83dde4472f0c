import type { FastifyRequest } from 'fastify'
import { officeAddress } from '#contract/office/address.ts'
import type { Phase } from '#server/enrollment/enrollment.ts'
import type { Visit } from '#server/sponsors/landing.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import { findAttempts } from './attempts.ts'
import { findLanding } from './landing.ts'
import type { Provider } from './provider.ts'
import { joinedIn } from './visitor.ts'

/** What pages need to know about a visitor when the host keeps the members. */
export const joiningAt = (provider: Provider) => ({
  findLanding: (site: string, visit: Visit) => findLanding(provider.world, provider.catalog, site, visit),

  /** Over once the browser no longer knows who joined: the next enrollment is someone else's. */
  async phaseOf(enrollment_id: string, request: FastifyRequest): Promise<Phase> {
    const attempts = await findAttempts(provider.world.db, enrollment_id).catch(() => [])
    const isIn = (...states: string[]) => attempts.some(({ state }) => states.includes(state))
    const username = isIn('approved') ? joinedIn(request, enrollment_id) : undefined
    if (isIn('approved')) return username ? { phase: 'joined', username } : { phase: 'over' }
    return { phase: isIn('sent', 'unknown') ? 'paying' : 'open' }
  },

  async officeUrlFor({ enrollment_id }: Pick<Visitor, 'enrollment_id'>): Promise<string> {
    const reply = enrollment_id ? provider.approvals.last(enrollment_id) : undefined
    if (!reply?.vo_url) return provider.world.config.OFFICE_URL
    return reply.token ? officeAddress(reply.vo_url, reply.token) : reply.vo_url
  },
})
