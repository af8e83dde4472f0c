// npm run sbom: writes which packages run in production, as CycloneDX. `-- FILE` names the file.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * npm writes the list from package-lock.json. We leave out what only development needs, because `--omit=dev` (npm 11.19) also
 * leaves out what production shares with it. npm says 1.5; all that it writes is also valid in 1.6.
 */
export function productionBom() {
  const bom = npmBom()
  const ids = productionIds()
  const { component } = bom.metadata
  return {
    ...bom,
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    specVersion: '1.6',
    metadata: { ...bom.metadata, component: { ...component, type: 'application', name } },
    components: bom.components.filter((component) => ids.has(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => ids.has(ref) || ref === component['bom-ref'])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => ids.has(id)) })),
  }
}

function npmBom() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const options = { cwd: root, encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 1e8 }
  return JSON.parse(execFileSync('npm', args, options))
}

/** 'node_modules/a/node_modules/@b/c' is the package '@b/c', unless it has a name of its own: then the folder is an alias. */
function productionIds() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const entries = Object.entries(packages).filter(([path, { dev }]) => path && !dev)
  return new Set(entries.map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`))
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const [file = `${name}-${version}.cdx.json`] = process.argv.slice(2)
  const bom = productionBom()
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`Wrote ${bom.components.length} packages to ${file}.`)
}
