import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What the build and the development server share. Where things are written is decided in web/build.ts. */
export default defineConfig({
  appType: 'custom',
  publicDir: 'web/public',
  plugins: [react()],
})
