import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { World } from '#server/world/world.ts'

/** Browsers accept this prefix only over https and from this exact host, so another subdomain cannot set our cookies. */
const HOST_PREFIX = '__Host-'

/** With https, adds the prefix to every cookie that we set, and ignores cookies without it. */
export async function addCookies(app: FastifyInstance, { config, keys }: World) {
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  const secrets = () => keys.secrets('cookies').map((secret) => secret.toString('base64'))
  /** The newest key signs. A cookie that was signed before the keys were changed is valid for a while. */
  const signer = {
    sign: (value: string) => cookie.sign(value, secrets()[0] ?? ''),
    unsign: (value: string) => {
      const results = secrets().map((secret) => cookie.unsign(value, secret))
      return results.find(({ valid }) => valid) ?? ({ valid: false, renew: false, value: null } as const)
    },
  }
  await app.register(cookie, { secret: signer, parseOptions: { secure: isHttps } })
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
