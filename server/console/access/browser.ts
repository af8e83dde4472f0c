import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#server/client.ts'
import { clearSiteData, clientFrom, cookieOptions } from '#server/http/request.ts'
import type { World } from '#server/world/world.ts'

const CONSOLE_COOKIE = 'foyer_console'
const strict = { ...cookieOptions, sameSite: 'strict' } as const

/** The browser of someone on the staff: a client, and the console's cookie. */
export type StaffBrowser = Client & {
  /** The session key in the cookie. */
  consoleKey: string | undefined
  setConsoleCookie: (session: { key: string; expires_at: Date }) => void
  clearConsoleCookie: () => void
}

export const staffBrowserFrom = (request: FastifyRequest, reply: FastifyReply, world: World): StaffBrowser => ({
  ...clientFrom(request),
  consoleKey: request.cookies[CONSOLE_COOKIE],
  setConsoleCookie: ({ key, expires_at: expires }) => reply.setCookie(CONSOLE_COOKIE, key, { ...strict, expires }),
  clearConsoleCookie: () => {
    reply.clearCookie(CONSOLE_COOKIE, strict)
    clearSiteData(reply, world)
  },
})
