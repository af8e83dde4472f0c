import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Routes that a plain HTML form posts to, without JavaScript. Forms on other sites are refused. */
export function addForms(app: FastifyInstance, addRoutes: (forms: FastifyInstance) => void) {
  app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 1024 },
      (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
    )
    forms.addHook('onRequest', async (request, reply) => {
      if (isCrossOrigin(request))
        return reply.code(403).type('text/plain').send('Requests from other sites are not allowed.\n')
    })
    addRoutes(forms)
  })
}

function isCrossOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin, host } = headers
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)
}
