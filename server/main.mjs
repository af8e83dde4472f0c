// The only JavaScript of server/: TypeScript would be translated here, before its translation can come from the cache.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: the next start reuses what this one compiles.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/foyer-compiled', import.meta.url)))

try {
  const { serve } = await import('./serve.ts')
  await serve()
  flushCompileCache() // now, because a killed process cannot do it on exit
} catch (error) {
  const { explainError } = await import('./operator-error.ts')
  console.error(explainError(error) ?? error)
  process.exit(1)
}
