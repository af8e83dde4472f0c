import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Node needs `with { type: 'json' }` on a JSON import. Vite turns the file into JavaScript, where the attribute is an error. */
const plainJson: Plugin = {
  name: 'foyer-plain-json',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('contract/countries.ts') ? code.replace(/, \{ with: \{ type: 'json' \} \}/, '') : undefined,
}

/** Shared by the build and the development server. web/build.ts decides where files go. */
export default defineConfig({
  appType: 'custom',
  publicDir: 'web/public',
  plugins: [react(), plainJson],
})
