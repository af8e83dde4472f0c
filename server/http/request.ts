import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseAttemptKey } from '#server/payments/attempt-key.ts'
import { parseTouches, serializeTouches, type Touch } from '#server/sponsors/touches.ts'
import { ENROLLMENT_COOKIE_DAYS, type Visitor } from '#server/visitor.ts'
import type { World } from '#server/world/world.ts'
import { limitKeys } from './address.ts'
import { clearedAtSignOut } from './headers.ts'

const COOKIE = 'foyer_enrollment'
const OFFICE_COOKIE = 'foyer_office'
const CONSOLE_COOKIE = 'foyer_console'
const TRUSTED_COOKIE = 'foyer_known'
const DAYS = 86_400

const cookieOptions = { httpOnly: true, path: '/' } as const

const header = (request: FastifyRequest, name: string) => [request.headers[name]].flat()[0] ?? ''

export function visitorFrom(request: FastifyRequest, reply: FastifyReply, world: World): Visitor {
  const key = header(request, 'idempotency-key')
  const cookie = readEnrollmentCookie(request)
  return {
    address: limitKeys(request.ip),
    host: header(request, 'host'),
    agent: header(request, 'user-agent'),
    pageUrl: header(request, 'referer'),
    prefetch: isPrefetch(request),
    isFromOtherSite: !['', 'same-origin', 'none'].includes(header(request, 'sec-fetch-site')),
    enrollment_id: cookie?.enrollment_id,
    firstPageAt: cookie?.since,
    touches: cookie?.touches ?? [],
    key: key ? parseAttemptKey(key) : undefined,
    officeKey: readOfficeCookie(request),
    setOfficeCookie: (mark, { key, expires_at: expires }) => {
      reply.setCookie(OFFICE_COOKIE, key, { ...cookieOptions, sameSite: 'lax', expires })
      setTrustedCookie(request, reply, mark)
    },
    trustedBrowser: readTrustedCookie(request),
    trustBrowser: (mark) => setTrustedCookie(request, reply, mark),
    clearOfficeCookie: () => {
      reply.clearCookie(OFFICE_COOKIE, cookieOptions)
      clearSiteData(reply, world)
    },
    consoleKey: request.cookies[CONSOLE_COOKIE],
    setConsoleCookie: ({ key, expires_at: expires }) =>
      reply.setCookie(CONSOLE_COOKIE, key, { ...cookieOptions, sameSite: 'strict', expires }),
    clearConsoleCookie: () => {
      reply.clearCookie(CONSOLE_COOKIE, { ...cookieOptions, sameSite: 'strict' })
      clearSiteData(reply, world)
    },
    setEnrollmentCookie: (enrollment_id, touches) =>
      setEnrollmentCookie(reply, { enrollment_id, since: cookie?.since ?? world.now(), touches }),
  }
}

const clearSiteData = (reply: FastifyReply, { config }: World) => {
  if (config.PUBLIC_URL.startsWith('https:')) reply.header('clear-site-data', clearedAtSignOut)
}

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/**
 * A browser in which a member has signed in before, or has set a password by email. The cookie opens nothing: it only
 * keeps strangers' wrong passwords from locking the member out.
 */
function readTrustedCookie(request: FastifyRequest): Visitor['trustedBrowser'] {
  const [mark, browser] = readSignedCookie(request, TRUSTED_COOKIE)
  return mark && browser ? { mark, browser } : undefined
}

function setTrustedCookie(request: FastifyRequest, reply: FastifyReply, mark: string) {
  if (readTrustedCookie(request)?.mark !== mark) setSignedCookie(reply, TRUSTED_COOKIE, [mark, randomUUID()], 365)
}

/** The name is signed too, so that a signed value cannot be moved to another cookie. */
function setSignedCookie(reply: FastifyReply, name: string, parts: (string | number)[], days: number) {
  const signed = reply.signCookie([name, ...parts].join('.'))
  reply.setCookie(name, signed.slice(name.length + 1), { ...cookieOptions, sameSite: 'lax', maxAge: days * DAYS })
}

/** The parts of the value, or none if the signature is wrong. */
function readSignedCookie(request: FastifyRequest, name: string): string[] {
  const { valid, value } = request.unsignCookie(`${name}.${request.cookies[name] ?? ''}`)
  return valid && value ? value.split('.').slice(1) : []
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

/** Whether one of our own pages led here, not an email or another site. Old browsers do not send the header and are trusted. */
export const isSameOrigin = (request: FastifyRequest): boolean =>
  ['', 'same-origin'].includes(header(request, 'sec-fetch-site'))

/** Whether the visitor opened the page in a window, not another page in a frame or as an image. */
export const isTopLevelPage = (request: FastifyRequest): boolean =>
  ['', 'document'].includes(header(request, 'sec-fetch-dest'))

/** Whether the browser fetches ahead: the visitor may never see the page. */
export const isPrefetch = (request: FastifyRequest): boolean =>
  /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`)
