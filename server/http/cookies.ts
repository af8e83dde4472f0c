import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { World } from '#server/world.ts'

/** Browsers take such a cookie only over https and from this very host: no other subdomain can plant one. */
const BOUND = '__Host-'

/** Every cookie is bound to our host under https, whoever gives it, and one that is not bound is not read. */
export async function addCookies(app: FastifyInstance, { config, keys }: World) {
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  const secret = keys.secret('cookies').toString('base64')
  await app.register(cookie, { secret, parseOptions: { secure: isHttps } })
  if (!isHttps) return
  app.addHook('onRequest', (request, _reply, done) => {
    request.cookies = Object.fromEntries(Object.entries(request.cookies).flatMap(unbound))
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const given = [reply.getHeader('set-cookie') ?? []].flat().map(String)
    reply.removeHeader('set-cookie')
    if (given.length) reply.header('set-cookie', given.map(bound))
    done(null, payload)
  })
}

type Named = [name: string, value: string | undefined]
const unbound = ([name, value]: Named): Named[] => (name.startsWith(BOUND) ? [[name.slice(BOUND.length), value]] : [])
const bound = (line: string) => (line.startsWith(BOUND) ? line : BOUND + line)
