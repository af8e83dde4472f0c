import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#server/client.ts'
import {
  clearSiteData,
  clientFrom,
  cookieOptions,
  readSignedCookie,
  refuseOtherSites,
  setSignedCookie,
} from '#server/http/request.ts'
import type { World } from '#server/world/world.ts'

const OFFICE_COOKIE = 'foyer_office'
const TRUSTED_COOKIE = 'foyer_known'

/** A member's browser: a client, and the cookies of the office. */
export type MemberBrowser = Client & {
  /** The session key in the office's cookie. */
  officeKey: string | undefined
  setOfficeCookie: (mark: string, session: { key: string; expires_at: Date }) => void
  clearOfficeCookie: () => void
  /** Set when a member has signed in with this browser before: a mark of the member, and an id of the browser. */
  trustedBrowser: { mark: string; browser: string } | undefined
  trustBrowser: (mark: string) => void
}

export function memberBrowserFrom(request: FastifyRequest, reply: FastifyReply, world: World): MemberBrowser {
  refuseOtherSites(request)
  return browserFrom(request, reply, world)
}

const browserFrom = (request: FastifyRequest, reply: FastifyReply, world: World): MemberBrowser => ({
  ...clientFrom(request),
  officeKey: readOfficeCookie(request),
  setOfficeCookie: (mark, { key, expires_at: expires }) => {
    reply.setCookie(OFFICE_COOKIE, key, { ...cookieOptions, sameSite: 'lax', expires })
    setTrustedCookie(request, reply, mark)
  },
  clearOfficeCookie: () => {
    reply.clearCookie(OFFICE_COOKIE, cookieOptions)
    clearSiteData(reply, world)
  },
  trustedBrowser: readTrustedCookie(request),
  trustBrowser: (mark) => setTrustedCookie(request, reply, mark),
})

export const readOfficeCookie = (request: FastifyRequest): string | undefined => request.cookies[OFFICE_COOKIE]

/**
 * A browser in which a member has signed in before, or has set a password by email. The cookie opens nothing: it only
 * keeps strangers' wrong passwords from locking the member out.
 */
function readTrustedCookie(request: FastifyRequest): MemberBrowser['trustedBrowser'] {
  const [mark, browser] = readSignedCookie(request, TRUSTED_COOKIE)
  return mark && browser ? { mark, browser } : undefined
}

function setTrustedCookie(request: FastifyRequest, reply: FastifyReply, mark: string) {
  if (readTrustedCookie(request)?.mark !== mark) setSignedCookie(reply, TRUSTED_COOKIE, [mark, randomUUID()], 365)
}
