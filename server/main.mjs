// The only JavaScript of server/: as TypeScript, it would be compiled on every start, before the cache is on.
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: the next start reuses what this one compiles.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/foyer-compiled', import.meta.url)))

/**
 * Our imports, and the thousand within Kysely, name their file exactly. Node would still check each on disk, which took a sixth
 * of the start.
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
