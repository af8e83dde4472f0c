import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { explainError } from './operator-error.ts'

// Before anything else is loaded: the next start reuses what this one compiles.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/foyer-compiled', import.meta.url)))

const { serve } = await import('./serve.ts')
try {
  await serve()
  flushCompileCache() // now, because a killed process cannot do it on exit
} catch (error) {
  console.error(explainError(error) ?? error)
  process.exit(1)
}
