// The only JavaScript of server/: TypeScript would be translated here, before its translation can come from the cache.
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: the next start reuses what this one compiles.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/foyer-compiled', import.meta.url)))

/**
 * Most imports name their file: ours, and the thousand within Kysely. Node would still ask the disk about each, which took
 * a sixth of a start.
 */
const root = new URL('..', import.meta.url).href
const named = [
  { from: ['server/', 'contract/'], file: /^[.#].*\.ts$/, format: 'module-typescript' },
  { from: ['node_modules/kysely/'], file: /^\..*\.js$/, format: 'module' },
]
registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL = '' } = context
    const isNamed = ({ from, file }) =>
      file.test(specifier) && from.some((folder) => parentURL.startsWith(root + folder))
    const format = named.find(isNamed)?.format
    if (!format) return next(specifier, context)
    const { href: url } = specifier.startsWith('#') ? new URL(specifier.slice(1), root) : new URL(specifier, parentURL)
    return { url, format, shortCircuit: true }
  },
})

try {
  const { serve } = await import('./serve.ts')
  await serve()
  flushCompileCache() // now, because a killed process cannot do it on exit
} catch (error) {
  const { explainError } = await import('./operator-error.ts')
  console.error(explainError(error) ?? error)
  process.exit(1)
}
