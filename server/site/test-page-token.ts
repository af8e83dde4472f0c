import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#server/config/config.ts'
import { cookieOptions } from '#server/http/request.ts'
import { sha256 } from '#server/secrets/secrets.ts'

type WithToken = Pick<Config, 'PUBLIC_URL' | 'TEST_PAGES_TOKEN'>

/** For the terminal. */
export const testPageLink = ({ PUBLIC_URL, TEST_PAGES_TOKEN }: WithToken, path: string): string =>
  `${PUBLIC_URL}${path}?token=${encodeURIComponent(TEST_PAGES_TOKEN)}`

export const TEST_PAGES_COOKIE = 'foyer_test_pages'

/**
 * The pages /__… open with the token in a printed link, which a cookie then remembers. A request through a proxy on this
 * machine that rewrites Host and adds no header looks local; the token shows whether it is.
 */
export function guardTestPages(app: FastifyInstance, { TEST_PAGES_TOKEN }: WithToken): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.url?.startsWith('/__')) return done()
    const { token } = request.query as { token?: unknown }
    if (isToken(token, TEST_PAGES_TOKEN)) {
      reply.setCookie(TEST_PAGES_COOKIE, TEST_PAGES_TOKEN, { ...cookieOptions, sameSite: 'strict' })
      return done()
    }
    if (isToken(request.cookies[TEST_PAGES_COOKIE], TEST_PAGES_TOKEN)) return done()
    reply.callNotFound()
  })
}

const isToken = (value: unknown, token: string): boolean =>
  typeof value === 'string' && timingSafeEqual(Buffer.from(sha256(value)), Buffer.from(sha256(token)))
