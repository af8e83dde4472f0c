import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readTouches, type Touch, writeTouches } from '#server/touches.ts'
import { parseKey, type Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { visitorOf } from './address.ts'

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
  const cookie = readCookie(request)
  return {
    address: visitorOf(request.ip),
    host: header(request, 'host'),
    agent: header(request, 'user-agent'),
    prefetch: isAhead(request),
    fromElsewhere: !['', 'same-origin', 'none'].includes(header(request, 'sec-fetch-site')),
    cookie: cookie?.enrollment_id,
    since: cookie?.since,
    touches: cookie?.touches ?? [],
    key: key ? parseKey(key) : undefined,
    officeKey: readOfficeCookie(request),
    letIn: (member_id, { key, expires_at: expires }) => {
      reply.setCookie(OFFICE_COOKIE, key, { ...ours, sameSite: 'lax', expires })
      giveKnown(request, reply, member_id)
    },
    knownAs: readKnown(request),
    makeKnown: (member_id) => giveKnown(request, reply, member_id),
    letOut: () => reply.clearCookie(OFFICE_COOKIE, ours),
    adopt: (enrollment_id, touches) =>
      giveCookie(reply, { enrollment_id, since: cookie?.since ?? world.now(), touches }),
  }
}

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/**
 * A browser in which a member has signed in before, or has set a password by letter. It opens nothing: wrong passwords of
 * strangers, who do not have it, do not count against who does.
 */
function readKnown(request: FastifyRequest): Visitor['knownAs'] {
  const [member_id, browser] = signedCookie(request, KNOWN_COOKIE)
  return member_id && browser ? { member_id, browser } : undefined
}

function giveKnown(request: FastifyRequest, reply: FastifyReply, member_id: string) {
  if (readKnown(request)?.member_id === member_id) return
  const how = { ...ours, signed: true, sameSite: 'lax', maxAge: 365 * DAYS } as const
  reply.setCookie(KNOWN_COOKIE, `${member_id}.${randomUUID()}`, how)
}

/** The parts of a cookie that we signed; none of one that we did not. */
function signedCookie(request: FastifyRequest, name: string): string[] {
  const raw = request.cookies[name]
  const { valid, value } = raw ? request.unsignCookie(raw) : { valid: false, value: null }
  return valid && value ? value.split('.') : []
}

/** An enrollment in this browser, when its first page was opened, and the sponsors' links that were. */
export type Begun = { enrollment_id: string; since: Date; touches: Touch[] }

/** The enrollment in the cookie, if we signed it. */
export function readCookie(request: FastifyRequest): Begun | undefined {
  const [enrollment_id, time, touches = ''] = signedCookie(request, COOKIE)
  return enrollment_id && Number(time)
    ? { enrollment_id, since: new Date(Number(time)), touches: readTouches(touches) }
    : undefined
}

/** Id, time and links, signed. Nothing is stored until the visitor first sends something. */
export const giveCookie = (reply: FastifyReply, { enrollment_id, since, touches }: Begun) =>
  reply.setCookie(COOKIE, `${enrollment_id}.${since.getTime()}.${writeTouches(touches)}`, {
    ...ours,
    signed: true,
    sameSite: 'lax',
    maxAge: 30 * DAYS,
  })

/** A page of ours led here. Who comes by a letter or another site may have been sent; of old browsers nobody can say. */
export const isFromHere = (request: FastifyRequest): boolean =>
  ['', 'same-origin'].includes(header(request, 'sec-fetch-site'))

/** Somebody opened this page in a window: no other page pulled it in behind their back. */
export const isOpened = (request: FastifyRequest): boolean =>
  ['', 'document'].includes(header(request, 'sec-fetch-dest'))

/** A browser fetches the page before anybody has asked for it. */
export const isAhead = (request: FastifyRequest): boolean =>
  /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`)
