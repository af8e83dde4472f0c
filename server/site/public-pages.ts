import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memberOfUnsubscribeToken, unsubscribe } from '#server/members/join-emails.ts'
import { findPicture, PICTURES } from '#server/members/picture.ts'
import type { World } from '#server/world/world.ts'
import { screenSender } from './office-pages.ts'
import type { Shell } from './shell.ts'

/** What visitors and mail clients need of a member, also where the operator has an office of their own. */
export function addPublicPages(app: FastifyInstance, world: World, shell: Shell) {
  app.get<{ Params: { name: string } }>(`${PICTURES}/:name`, async ({ params }, reply) => {
    const picture = await findPicture(world, params.name)
    if (!picture) return reply.callNotFound()
    return reply.type('image/jpeg').header('cache-control', 'public, max-age=31536000, immutable').send(picture)
  })
  app.register(async (pages) => addUnsubscribe(pages, world, shell))
}

const UNSUBSCRIBE = '/office/unsubscribe/:token'
type WithToken = { Params: { token: string } }

/**
 * The link in an email only asks, because mail scanners open every link. The POST comes from its button, or from the mail
 * client itself (RFC 8058), as a form of either kind and without cookies: the token is all that counts.
 */
function addUnsubscribe(pages: FastifyInstance, world: World, shell: Shell) {
  const sendScreen = screenSender(shell)
  const send = (request: FastifyRequest, reply: FastifyReply, state: 'ask' | 'done' | undefined) =>
    sendScreen(request, reply, { screen: 'unsubscribe', state: state ?? 'invalid' }, state ? 200 : 404)
  pages.removeAllContentTypeParsers()
  pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4096 }, (_request, _body, done) => done(null))
  pages.get<WithToken>(UNSUBSCRIBE, (request, reply) =>
    send(request, reply, memberOfUnsubscribeToken(world, request.params.token) ? 'ask' : undefined),
  )
  pages.post<WithToken>(UNSUBSCRIBE, async (request, reply) =>
    send(request, reply, (await unsubscribe(world, request.params.token)) ? 'done' : undefined),
  )
}
