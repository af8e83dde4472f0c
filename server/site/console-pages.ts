import type { FastifyInstance } from 'fastify'
import { LOGOS } from '#server/brand/brand.ts'
import { findLogo } from '#server/brand/logo.ts'
import { addBrandPreview } from '#server/console/brand/brand-preview.ts'
import type { World } from '#server/world/world.ts'
import { type Shell, sendPage } from './shell.ts'

/** Where the console's own router begins. */
const paths = ['/console', '/console/*']
const hidden = { schema: { hide: true } }

/** One page for every address of the console. Its script asks who is signed in; the page itself says nothing. */
export function addConsole(app: FastifyInstance, world: World, shell: Shell) {
  for (const path of paths)
    app.get(path, hidden, (request, reply) =>
      sendPage(request, reply.headers({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }), shell, {
        title: 'Console',
        body: (brand) => shell.pages.console(brand),
        script: shell.head.consoleScript,
        isConsole: true,
      }),
    )
  addBrandPreview(app, world, shell)
  addLogos(app, world)
}

/** The logos that staff uploaded, for everyone. */
const addLogos = (app: FastifyInstance, world: World) =>
  app.get<{ Params: { name: string } }>(`${LOGOS}/:name`, hidden, async ({ params }, reply) => {
    const logo = await findLogo(world, params.name)
    if (!logo) return reply.callNotFound()
    return reply.type(logo.type).header('cache-control', 'public, max-age=31536000, immutable').send(logo.content)
  })
