import type { FastifyReply, FastifyRequest } from 'fastify'
import { visitorOf } from './limits.ts'
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
    prefetch: /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`),
    cookie: cookie?.enrollment_id,
    since: cookie?.since,
    key: key ? parseKey(key) : undefined,
    officeKey: readOfficeCookie(request),
    letIn: (key, expires) => reply.setCookie(OFFICE_COOKIE, key, { ...ours(world), sameSite: 'lax', expires }),
    letOut: () => reply.clearCookie(OFFICE_COOKIE, ours(world)),
    adopt: (enrollment_id, site) => giveCookie(reply, world, { enrollment_id, since: world.now() }, site),
  }
}

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/** An enrollment in this browser, and when its first page was opened. */
type Begun = { enrollment_id: string; since: Date }

/** The enrollment in the cookie, if we signed it. */
export function readCookie(request: FastifyRequest): Begun | undefined {
  const raw = request.cookies[COOKIE]
  const { valid, value } = raw ? request.unsignCookie(raw) : { valid: false, value: null }
  const [enrollment_id, , time] = valid && value ? value.split('.') : []
  return enrollment_id ? { enrollment_id, since: new Date(Number(time)) } : undefined
}

/** Id, site and time, signed. Nothing is stored until the visitor first sends something. */
export const giveCookie = (reply: FastifyReply, { config }: World, { enrollment_id, since }: Begun, site: string) =>
  reply.setCookie(COOKIE, `${enrollment_id}.${site}.${since.getTime()}`, {
    ...ours({ config }),
    signed: true,
    sameSite: 'lax',
    maxAge: 30 * DAYS,
  })
