import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ENROLLMENT_COOKIE_DAYS, parseAttemptKey, type Visitor } from '#server/enrollment/visitor.ts'
import { parseTouches, serializeTouches, type Touch } from '#server/sponsors/touches.ts'
import type { World } from '#server/world.ts'
import { limitKeys } from './address.ts'

const COOKIE = 'foyer_enrollment'
const OFFICE_COOKIE = 'foyer_office'
const KNOWN_COOKIE = 'foyer_known'
const DAYS = 86_400

/** A cookie that no script reads. */
const ours = { httpOnly: true, path: '/' } as const

const header = (request: FastifyRequest, name: string) => [request.headers[name]].flat()[0] ?? ''

/** The visitor behind a request. */
export function visitorFrom(request: FastifyRequest, reply: FastifyReply, world: World): Visitor {
  const key = header(request, 'idempotency-key')
  const cookie = readEnrollmentCookie(request)
  return {
    address: limitKeys(request.ip),
    host: header(request, 'host'),
    agent: header(request, 'user-agent'),
    prefetch: isPrefetch(request),
    isFromOtherSite: !['', 'same-origin', 'none'].includes(header(request, 'sec-fetch-site')),
    cookie: cookie?.enrollment_id,
    since: cookie?.since,
    touches: cookie?.touches ?? [],
    key: key ? parseAttemptKey(key) : undefined,
    officeKey: readOfficeCookie(request),
    setOfficeCookie: (mark, { key, expires_at: expires }) => {
      reply.setCookie(OFFICE_COOKIE, key, { ...ours, sameSite: 'lax', expires })
      giveKnown(request, reply, mark)
    },
    trustedBrowser: readKnown(request),
    trustBrowser: (mark) => giveKnown(request, reply, mark),
    clearOfficeCookie: () => reply.clearCookie(OFFICE_COOKIE, ours),
    setEnrollmentCookie: (enrollment_id, touches) =>
      setEnrollmentCookie(reply, { enrollment_id, since: cookie?.since ?? world.now(), touches }),
  }
}

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/**
 * A browser in which a member has signed in before, or has set a password by letter. It opens nothing: wrong passwords of
 * strangers, who do not have it, do not count against who does.
 */
function readKnown(request: FastifyRequest): Visitor['trustedBrowser'] {
  const [mark, browser] = signedCookie(request, KNOWN_COOKIE)
  return mark && browser ? { mark, browser } : undefined
}

function giveKnown(request: FastifyRequest, reply: FastifyReply, mark: string) {
  if (readKnown(request)?.mark !== mark) giveSigned(reply, KNOWN_COOKIE, [mark, randomUUID()], 365)
}

/** Its name is signed with it, so that what was given as one cookie is never taken for another. */
function giveSigned(reply: FastifyReply, name: string, parts: (string | number)[], days: number) {
  const signed = reply.signCookie([name, ...parts].join('.'))
  reply.setCookie(name, signed.slice(name.length + 1), { ...ours, sameSite: 'lax', maxAge: days * DAYS })
}

/** The parts of a cookie that we signed; none of one that we did not. */
function signedCookie(request: FastifyRequest, name: string): string[] {
  const { valid, value } = request.unsignCookie(`${name}.${request.cookies[name] ?? ''}`)
  return valid && value ? value.split('.').slice(1) : []
}

/** An enrollment in this browser, when its first page was opened, and the sponsors' links that were. */
export type EnrollmentCookie = { enrollment_id: string; since: Date; touches: Touch[] }

/** The enrollment in the cookie, if we signed it. */
export function readEnrollmentCookie(request: FastifyRequest): EnrollmentCookie | undefined {
  const [enrollment_id, time, touches = ''] = signedCookie(request, COOKIE)
  return enrollment_id && Number(time)
    ? { enrollment_id, since: new Date(Number(time)), touches: parseTouches(touches) }
    : undefined
}

/** Id, time and links, signed. Nothing is stored until the visitor first sends something. */
export const setEnrollmentCookie = (reply: FastifyReply, { enrollment_id, since, touches }: EnrollmentCookie) =>
  giveSigned(reply, COOKIE, [enrollment_id, since.getTime(), serializeTouches(touches)], ENROLLMENT_COOKIE_DAYS)

/** A page of ours led here. Who comes by a letter or another site may have been sent; of old browsers nobody can say. */
export const isSameOrigin = (request: FastifyRequest): boolean =>
  ['', 'same-origin'].includes(header(request, 'sec-fetch-site'))

/** Somebody opened this page in a window: no other page pulled it in behind their back. */
export const isTopLevelPage = (request: FastifyRequest): boolean =>
  ['', 'document'].includes(header(request, 'sec-fetch-dest'))

/** A browser fetches the page before anybody has asked for it. */
export const isPrefetch = (request: FastifyRequest): boolean =>
  /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`)
