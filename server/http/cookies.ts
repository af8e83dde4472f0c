import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { World } from '#server/world.ts'

/** Browsers accept this prefix only over https and from this exact host, so another subdomain cannot set our cookies. */
const HOST_PREFIX = '__Host-'

/** With https, adds the prefix to every cookie that we set, and ignores cookies without it. */
export async function addCookies(app: FastifyInstance, { config, keys }: World) {
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  const secret = keys.secret('cookies').toString('base64')
  await app.register(cookie, { secret, parseOptions: { secure: isHttps } })
  if (!isHttps) return
  app.addHook('onRequest', (request, _reply, done) => {
    request.cookies = Object.fromEntries(Object.entries(request.cookies).flatMap(withoutPrefix))
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const lines = [reply.getHeader('set-cookie') ?? []].flat().map(String)
    reply.removeHeader('set-cookie')
    if (lines.length) reply.header('set-cookie', lines.map(withPrefix))
    done(null, payload)
  })
}

type Cookie = [name: string, value: string | undefined]
const withoutPrefix = ([name, value]: Cookie): Cookie[] =>
  name.startsWith(HOST_PREFIX) ? [[name.slice(HOST_PREFIX.length), value]] : []
const withPrefix = (line: string) => (line.startsWith(HOST_PREFIX) ? line : HOST_PREFIX + line)
