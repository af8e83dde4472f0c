import { createServer as createHttpServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createServer, type Plugin } from 'vite'
import { brandCss } from '#contract/brand.ts'
import type { Pages } from '#contract/pages.ts'
import { createApp } from '#server/site/app.ts'
import { hostCheck } from '#server/site/hosts.ts'
import { type Shell, sendPage } from '#server/site/shell.ts'
import { testPageLink } from '#server/site/test-page-token.ts'
import { testPageLinks } from '#server/site/test-pages.ts'
import { startWorker } from '#server/worker/worker.ts'
import { readConfig } from './config/config.ts'
import { firstOwnerLink } from './console/access/invitations.ts'
import { createLog } from './log.ts'
import { createWorld } from './open-world.ts'

const scripts: Record<string, string> = {
  'virtual:foyer': 'web/main.tsx',
  'virtual:foyer-office': 'web/office/main.tsx',
  'virtual:foyer-console': 'web/console/main.tsx',
  'virtual:foyer-docs': 'web/pages/docs/main.ts',
  'virtual:foyer-reopen': 'web/pages/reopen.ts',
  'virtual:foyer-gallery': 'web/gallery/gallery.tsx',
}

/** The script of a page in development: Vite's client, React Refresh, the early script, then the page's own. */
const entry: Plugin = {
  name: 'foyer-dev-entry',
  resolveId: (id) => (id in scripts ? `\0${id}` : undefined),
  load: (id) => {
    const script = scripts[id.slice(1)]
    return (
      script &&
      `import '/@vite/client'
import { injectIntoGlobalHook } from '/@react-refresh'
injectIntoGlobalHook(window)
window.$RefreshReg$ = () => {}
window.$RefreshSig$ = () => (type) => type
await import('/web/early.ts')
await import('/${script}')`
    )
  },
}

/** npm run dev: the same site behind Vite. Saving a file in web/ reloads the page; in server/ it restarts the server. */
const config = readConfig()
const root = fileURLToPath(new URL('../', import.meta.url))
const vite = await createServer({
  root,
  plugins: [entry],
  server: { middlewareMode: true, allowedHosts: [new URL(config.PUBLIC_URL).hostname] },
  optimizeDeps: { entries: Object.values(scripts) }, // otherwise Vite discovers packages late, and reloads the page
})
const isOurHost = hostCheck(config) // Vite would serve sources to any page that names this machine
const pagesFromSource = async () => ((await vite.ssrLoadModule('/web/render.tsx')) as { pages: Pages }).pages

const world = await createWorld({ config, log: createLog(config.LOG_LEVEL), print: console.log })
const vendor = Object.values({ ...world.captcha.vendor?.sources, trust: [] })
  .flat()
  .join(' ')
const policy = `default-src 'self' 'unsafe-inline' 'unsafe-eval' ${vendor}; connect-src 'self' ws: ${vendor}; img-src 'self' data:; worker-src 'self' blob:`

const shell: Shell = {
  head: {
    script: '/@id/virtual:foyer',
    officeScript: '/@id/virtual:foyer-office',
    consoleScript: '/@id/virtual:foyer-console',
    docsScript: '/@id/virtual:foyer-docs',
    reopenScript: '/@id/virtual:foyer-reopen',
    css: brandCss(),
    officeCss: brandCss(),
    consoleCss: brandCss(),
    early: '',
  },
  pages: { ...(await pagesFromSource()) },
  policy,
  formPolicy: policy,
  consolePolicy: policy,
  files: undefined,
}

const app = await createApp({
  world,
  shell,
  serverFactory: (handler) =>
    createHttpServer((request, response) => {
      if (!isOurHost(request.headers.host ?? '')) return handler(request, response)
      vite.middlewares(request, response, async () => {
        Object.assign(shell.pages, await pagesFromSource().catch(() => ({}))) // Vite reports the compile error
        handler(request, response)
      })
    }),
})
app.get('/__gallery', (request, reply) =>
  sendPage(request, reply, shell, {
    title: 'Gallery',
    body: () => '<div id="foyer"></div>',
    script: '/@id/virtual:foyer-gallery',
  }),
)
const worker = startWorker(world)
await app.listen({ port: config.PORT, host: config.HOST })
console.log(`Foyer for development: ${config.PUBLIC_URL}`)
for (const line of [...testPageLinks(world), `gallery: ${testPageLink(config, '/__gallery')}`]) console.log(line)
const consoleLink = await firstOwnerLink(world)
if (consoleLink) console.log(`console: ${consoleLink}`)

const close = async () => {
  await Promise.all([app.close(), worker.stop(), vite.close()])
  await world.close()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
