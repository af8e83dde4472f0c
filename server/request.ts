import type { FastifyReply, FastifyRequest } from 'fastify'
import { visitorOf } from './limits.ts'
import { readTouches, type Touch, writeTouches } from './touches.ts'
import { parseKey, type Visitor } from './visitor.ts'
import type { World } from './world.ts'

const COOKIE = 'foyer_enrollment'
const OFFICE_COOKIE = 'foyer_office'
const DAYS = 86_400

/** A cookie that no script reads and that travels to us only. */
const ours = ({ config }: Pick<World, 'config'>) => ({
  httpOnly: true,
  secure: config.PUBLIC_URL.startsWith('https:'),
  path: '/',
})

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
    cookie: cookie?.enrollment_id,
    since: cookie?.since,
    touches: cookie?.touches ?? [],
    key: key ? parseKey(key) : undefined,
    officeKey: readOfficeCookie(request),
    letIn: (key, expires) => reply.setCookie(OFFICE_COOKIE, key, { ...ours(world), sameSite: 'lax', expires }),
    letOut: () => reply.clearCookie(OFFICE_COOKIE, ours(world)),
    adopt: (enrollment_id, touches) =>
      giveCookie(reply, world, { enrollment_id, since: cookie?.since ?? world.now(), touches }),
  }
}

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/** An enrollment in this browser, when its first page was opened, and the sponsors' links that were. */
export type Begun = { enrollment_id: string; since: Date; touches: Touch[] }

/** The enrollment in the cookie, if we signed it. */
export function readCookie(request: FastifyRequest): Begun | undefined {
  const raw = request.cookies[COOKIE]
  const { valid, value } = raw ? request.unsignCookie(raw) : { valid: false, value: null }
  const [enrollment_id, time, touches = ''] = valid && value ? value.split('.') : []
  return enrollment_id && Number(time)
    ? { enrollment_id, since: new Date(Number(time)), touches: readTouches(touches) }
    : undefined
}

/** Id, time and links, signed. Nothing is stored until the visitor first sends something. */
export const giveCookie = (reply: FastifyReply, { config }: World, { enrollment_id, since, touches }: Begun) =>
  reply.setCookie(COOKIE, `${enrollment_id}.${since.getTime()}.${writeTouches(touches)}`, {
    ...ours({ config }),
    signed: true,
    sameSite: 'lax',
    maxAge: 30 * DAYS,
  })

/** Somebody opened this page in a window: nobody fetched it ahead, and no other page pulled it in behind their back. */
export const isOpened = (request: FastifyRequest): boolean =>
  !isAhead(request) && ['', 'document'].includes(header(request, 'sec-fetch-dest'))

const isAhead = (request: FastifyRequest) =>
  /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`)
