import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#server/client.ts'
import { clearSiteData, clientFrom, cookieOptions, readSignedCookie, setSignedCookie } from '#server/http/request.ts'
import type { World } from '#server/world/world.ts'

const CONSOLE_COOKIE = 'foyer_console'
/** Gives no access: it only keeps strangers' wrong passwords from locking a colleague out. */
const TRUSTED_COOKIE = 'foyer_console_known'
const strict = { ...cookieOptions, sameSite: 'strict' } as const

/** The browser of someone on the staff: a client, and the console's cookie. */
export type StaffBrowser = Client & {
  /** The session key in the cookie. */
  consoleKey: string | undefined
  setConsoleCookie: (session: { key: string; expires_at: Date }, mark: string) => void
  clearConsoleCookie: () => void
  /** Set when a colleague has signed in with this browser before: a mark of the colleague, and an id of the browser. */
  trustedBrowser: { mark: string; browser: string } | undefined
}

export const staffBrowserFrom = (request: FastifyRequest, reply: FastifyReply, world: World): StaffBrowser => ({
  ...clientFrom(request),
  consoleKey: request.cookies[CONSOLE_COOKIE],
  setConsoleCookie: ({ key, expires_at: expires }, mark) => {
    reply.setCookie(CONSOLE_COOKIE, key, { ...strict, expires })
    if (readTrusted(request)?.mark !== mark) setSignedCookie(reply, TRUSTED_COOKIE, [mark, randomUUID()], 365)
  },
  trustedBrowser: readTrusted(request),
  clearConsoleCookie: () => {
    reply.clearCookie(CONSOLE_COOKIE, strict)
    clearSiteData(reply, world)
  },
})

function readTrusted(request: FastifyRequest): StaffBrowser['trustedBrowser'] {
  const [mark, browser] = readSignedCookie(request, TRUSTED_COOKIE)
  return mark && browser ? { mark, browser } : undefined
}
