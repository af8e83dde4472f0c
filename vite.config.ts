import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Node needs to be told that an import is JSON; Vite makes it JavaScript, and then the browser must not be told. */
const plainJson: Plugin = {
  name: 'foyer-plain-json',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('contract/countries.ts') ? code.replace(/, \{ with: \{ type: 'json' \} \}/, '') : undefined,
}

/**
 * What is fetched later lies in one file and brings no styles, so there is nothing to fetch ahead of it: the browser's own
 * `import` does, without the wrapper that Vite puts around each.
 */
const plainImports: Plugin = {
  name: 'foyer-plain-imports',
  apply: 'build',
  configResolved: ({ plugins }) => {
    const wrapper = plugins.findIndex(({ name }) => name === 'native:import-analysis-build')
    if (wrapper >= 0) (plugins as Plugin[]).splice(wrapper, 1)
  },
}

/** What the build and the development server share. Where things are written is decided in web/build.ts. */
export default defineConfig({
  appType: 'custom',
  publicDir: 'web/public',
  plugins: [react(), plainJson, plainImports],
})
