import type { FastifyInstance } from 'fastify'
import { brand } from '#contract/brand.ts'
import { type Shell, sendPage } from '#server/http/shell.ts'

/** Where the console's own router begins. */
const paths = ['/console', '/console/*']

/** One page for every address of the console. Its script asks who is signed in; the page itself says nothing. */
export function addConsole(app: FastifyInstance, shell: Shell) {
  for (const path of paths)
    app.get(path, { schema: { hide: true } }, (request, reply) =>
      sendPage(request, reply.headers({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }), shell, {
        title: `Console · ${brand.name}`,
        body: shell.pages.console(),
        script: shell.head.consoleScript,
        isConsole: true,
      }),
    )
}
