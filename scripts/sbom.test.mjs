import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { productionBom } from './sbom.mjs'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const { name, version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** What Node would load: the package in the nearest node_modules folder. */
function resolve(from, dependency) {
  const path = `${from ? `${from}/` : ''}node_modules/${dependency}`
  if (packages[path] || !from) return path
  return resolve(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), dependency)
}

/** Everything that can be reached from our own dependencies, found without npm's marks. */
function reachable(path, found = new Set()) {
  const { dependencies, optionalDependencies } = packages[path]
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const next = resolve(path, dependency)
    if (!packages[next] || found.has(next)) continue
    found.add(next)
    reachable(next, found)
  }
  return found
}

const idOf = (path) => {
  const { name = path.split('node_modules/').at(-1), version } = packages[path]
  return `${name}@${version}`
}

it('20.14 the SBOM is CycloneDX 1.6, and has every production dependency with version, hash and license', () => {
  const bom = productionBom()
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` } },
  })
  expect(bom.serialNumber).toMatch(/^urn:uuid:[\da-f-]{36}$/)

  const ids = bom.components.map((component) => component['bom-ref'])
  const expected = [...reachable('')].map(idOf)
  expect(expected.length).toBeGreaterThan(Object.keys(dependencies).length)
  expect(expected.filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.filter((id) => !bom.dependencies.some(({ ref }) => ref === id))).toEqual([])
  expect(ids.filter((id) => id.startsWith('vitest@') || id.startsWith('vite@'))).toEqual([])

  const isDescribed = ({ type, purl, hashes, licenses }) =>
    type === 'library' && purl.startsWith('pkg:npm/') && hashes?.[0]?.alg === 'SHA-512' && licenses?.length
  expect(bom.components.filter((component) => !isDescribed(component)).map(({ name }) => name)).toEqual([])
})
