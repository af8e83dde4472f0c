import type { FastifyInstance } from 'fastify'
import type { World } from '#server/world.ts'

/** The public key, where everybody looks for it: whoever has it can verify a grant or an accepted text, and sign nothing. */
export const addWellKnown = (app: FastifyInstance, { keys }: World) =>
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(JSON.stringify({ keys: [keys.signing.publicJwk] })),
  )
