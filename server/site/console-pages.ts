import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { LOGOS } from '#server/brand/brand.ts'
import { findLogo } from '#server/brand/logo.ts'
import type { World } from '#server/world/world.ts'
import type { Preview } from './brand-preview.ts'
import { type Shell, sendPage } from './shell.ts'

/** Where the console's own router begins. */
const paths = ['/console', '/console/*']

/** One page for every address of the console. Its script asks who is signed in; the page itself says nothing. */
export function addConsole(app: FastifyInstance, world: World, shell: Shell) {
  for (const path of paths)
    app.get(path, (request, reply) =>
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

/** Whatever is being typed. */
const typed = z.optional(z.string().check(z.maxLength(1000)))
const query = z.object({
  name: typed,
  accent: typed,
  radius: typed,
  support: typed,
  email_footer: typed,
  welcome: typed,
})

/** Made by code that is loaded on first use, because a start doesn't need it. */
function addBrandPreview(app: FastifyInstance, world: World, shell: Shell) {
  const options = { schema: { params: z.object({ what: z.enum(['wizard', 'email']) }), querystring: query } }
  app.get<Preview>('/console/preview/:what', options, async (request, reply) => {
    const { sendPreview } = await import('./brand-preview.ts')
    return sendPreview(request, reply, world, shell)
  })
}

/** The logos that staff uploaded, for everyone. */
const addLogos = (app: FastifyInstance, world: World) =>
  app.get<{ Params: { name: string } }>(`${LOGOS}/:name`, async ({ params }, reply) => {
    const logo = await findLogo(world, params.name)
    if (!logo) return reply.callNotFound()
    return reply.type(logo.type).header('cache-control', 'public, max-age=31536000, immutable').send(logo.content)
  })
