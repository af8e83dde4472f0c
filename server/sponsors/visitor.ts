import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#server/client.ts'
import { type AttemptKey, parseAttemptKey } from '#server/gateways/payment/attempt-key.ts'
import { clientFrom, header, readSignedCookie, setSignedCookie } from '#server/http/request.ts'
import type { World } from '#server/world/world.ts'
import { parseTouches, serializeTouches, type Touch } from './touches.ts'

const COOKIE = 'foyer_enrollment'
/** How long a browser keeps its enrollment after the last page view. */
export const ENROLLMENT_COOKIE_DAYS = 30

/** Someone who is joining: a client, and the enrollment in its cookie. */
export type Visitor = Client & {
  enrollment_id: string | undefined
  /** When its first page was opened. */
  firstPageAt: Date | undefined
  /** The sponsors' links that were opened in this browser. */
  touches: Touch[]
  /** From the Idempotency-Key header. */
  key: AttemptKey | undefined
  setEnrollmentCookie: (enrollment_id: string, touches: Touch[]) => void
}

export function visitorFrom(request: FastifyRequest, reply: FastifyReply, world: World): Visitor {
  const key = header(request, 'idempotency-key')
  const cookie = readEnrollmentCookie(request)
  return {
    ...clientFrom(request),
    enrollment_id: cookie?.enrollment_id,
    firstPageAt: cookie?.since,
    touches: cookie?.touches ?? [],
    key: key ? parseAttemptKey(key) : undefined,
    setEnrollmentCookie: (enrollment_id, touches) =>
      setEnrollmentCookie(reply, { enrollment_id, since: cookie?.since ?? world.now(), touches }),
  }
}

/** since: when the first page was opened. touches: the sponsors' links that were opened. */
export type EnrollmentCookie = { enrollment_id: string; since: Date; touches: Touch[] }

export function readEnrollmentCookie(request: FastifyRequest): EnrollmentCookie | undefined {
  const [enrollment_id, time, touches = ''] = readSignedCookie(request, COOKIE)
  return enrollment_id && Number(time)
    ? { enrollment_id, since: new Date(Number(time)), touches: parseTouches(touches) }
    : undefined
}

/** All of it is in the cookie: the database gets no row until the visitor sends something. */
export const setEnrollmentCookie = (reply: FastifyReply, { enrollment_id, since, touches }: EnrollmentCookie) =>
  setSignedCookie(reply, COOKIE, [enrollment_id, since.getTime(), serializeTouches(touches)], ENROLLMENT_COOKIE_DAYS)
