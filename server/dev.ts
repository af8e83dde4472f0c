import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { readConfig } from './config.ts'

/** npm run dev: the same site with Vite in front of it. A saved file of web/ reloads the page, one of server/ the server. */
const _config = readConfig()
const vite = await createServer({
  root: fileURLToPath(new URL('../', import.meta.url)),
  publicDir: 'web/public',
  appType: 'custom',
  server: { middlewareMode: true, hmr: { port: 24678 } },
})

/** Rendered from the sources at every request; styles come through Vite, so the policy of production does not fit. */
const _render = await vite.ssrLoadModule('/web/render.tsx')
