import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { explainError } from './operator-error.ts'

// A second start takes what the first one has compiled: before anything else is loaded.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/foyer-compiled', import.meta.url)))

const { serve } = await import('./serve.ts')
try {
  await serve()
  flushCompileCache() // also for who is never told to end
} catch (error) {
  console.error(explainError(error) ?? error)
  process.exit(1)
}
