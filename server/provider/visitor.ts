import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSignedCookie, setSignedCookie } from '#server/http/request.ts'
import { ENROLLMENT_COOKIE_DAYS, type Visitor, visitorFrom } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'

/** The new member's username is kept only in their browser, to greet them on the next visit. */
const JOINED = 'foyer_joined'

export type ProviderVisitor = Visitor & { setJoinedCookie: (enrollment_id: string, username: string) => void }

export const providerVisitorFrom = (request: FastifyRequest, reply: FastifyReply, world: World): ProviderVisitor => ({
  ...visitorFrom(request, reply, world),
  setJoinedCookie: (enrollment_id, username) =>
    setSignedCookie(reply, JOINED, [enrollment_id, username], ENROLLMENT_COOKIE_DAYS),
})

/** Who joined with this enrollment, if the browser knows. */
export function joinedIn(request: FastifyRequest, enrollment_id: string): string | undefined {
  const [joined, username] = readSignedCookie(request, JOINED)
  return joined === enrollment_id ? username : undefined
}
