import type { FastifyInstance } from 'fastify'
import { keptElsewhere } from '#server/config/operator.ts'
import { PACKAGE_PICTURES, PICTURE_POLICY } from '#server/provider/pictures.ts'
import type { Provider } from '#server/provider/provider.ts'
import { type Shell, sendPage } from './shell.ts'

export { untilAnswered } from '#server/provider/enrollment.ts'
export { providerHandlers } from '#server/provider/handlers.ts'
export { joiningAt } from '#server/provider/joining.ts'
export { openProvider } from '#server/provider/provider.ts'
export { providerVisitorFrom } from '#server/provider/visitor.ts'

const AN_HOUR = 'public, max-age=3600'
const A_MINUTE = 'public, max-age=60'

/** In front of an operator's API host: its packages' pictures, and a page for people who look for the office. */
export function addProviderPages(app: FastifyInstance, provider: Provider, shell: Shell) {
  app.get<{ Params: { name: string } }>(`${PACKAGE_PICTURES}/:name`, async ({ params }, reply) => {
    const picture = await provider.pictures.find(params.name)
    if (!picture) return reply.callNotFound()
    return reply
      .type(picture.type)
      .headers({ 'cache-control': picture.isStandIn ? A_MINUTE : AN_HOUR, 'content-security-policy': PICTURE_POLICY })
      .send(picture.bytes)
  })
  for (const path of ['/office', '/office/*'])
    app.get(path, (request, reply) =>
      sendPage(request, reply, shell, {
        title: 'Members’ office',
        body: (brand) => shell.pages.elsewhere(keptElsewhere(provider.world.config) ?? '', brand),
        status: 404,
      }),
    )
}
