import { expect, it } from 'vitest'
import { affectedBy } from './affected.mjs'
import { importGraph } from './imports.mjs'

const graph = new Map(
  Object.entries({
    'contract/card.ts': [],
    'contract/card.test.ts': ['contract/card.ts'],
    'web/enroll/pay.tsx': ['contract/card.ts'],
    'web/enroll/pay.test.tsx': ['web/enroll/pay.tsx'],
    'server/db/db.ts': [],
    'server/db/db.test.ts': ['server/db/db.ts'],
    'server/phone/phone.ts': ['contract/card.ts'],
    'server/phone/phone.test.ts': ['server/phone/phone.ts', 'server/test/site.ts'],
    'server/phone/digits.unit.test.ts': ['server/phone/phone.ts'],
    'server/test/site.ts': ['server/db/db.ts'],
    'server/test/prepare.ts': [],
    'scripts/spec.test.mjs': [],
    'drill/main.ts': ['drill/race.ts'],
    'drill/race.ts': ['server/db/db.ts'],
    'e2e/start-sites.ts': ['server/db/db.ts'],
    'e2e/visitor.ts': [],
    'e2e/pay.spec.ts': ['e2e/visitor.ts'],
    'e2e/office.spec.ts': ['server/phone/phone.ts'],
    'e2e/engines/sites.ts': ['e2e/start-sites.ts'],
    'e2e/engines/webkit.test.ts': [],
  }),
)
const texts = { 'server/phone/phone.test.ts': "readFileSync('docs/guides/settings.md')" }
const affected = (...changed) => affectedBy(changed, graph, (file) => texts[file] ?? '')
const nothing = { unit: ['scripts/spec.test.mjs'], server: [], engines: [], journeys: [], drills: false }
const allJourneys = { journeys: ['e2e/pay.spec.ts', 'e2e/office.spec.ts'], engines: ['e2e/engines/webkit.test.ts'] }

it('a document affects the tests of the repository, and those that name it', () => {
  expect(affected('docs/SPEC.md', 'README.md')).toEqual(nothing)
  expect(affected('docs/guides/settings.md')).toEqual({ ...nothing, server: ['server/phone/phone.test.ts'] })
})

it('a source affects the tests that import it, directly or through others', () => {
  expect(affected('server/phone/phone.ts')).toEqual({
    ...nothing,
    unit: ['server/phone/digits.unit.test.ts', 'scripts/spec.test.mjs'],
    server: ['server/phone/phone.test.ts'],
  })
  expect(affected('server/db/db.ts')).toEqual({
    ...nothing,
    server: ['server/db/db.test.ts', 'server/phone/phone.test.ts'],
    drills: true,
  })
})

it('a file that is no source, or was deleted, counts as a change of the sources beside it', () => {
  expect(affected('server/db/migrations/047.sql')).toEqual(affected('server/db/db.ts', 'server/db/db.test.ts'))
  expect(affected('server/db/gone.ts')).toEqual(affected('server/db/db.ts', 'server/db/db.test.ts'))
})

it('a change of the pages affects every journey, and a change of a journey only those that use it', () => {
  expect(affected('web/enroll/pay.tsx')).toMatchObject({ ...allJourneys, server: [], drills: false })
  expect(affected('web/style/base.css')).toMatchObject(allJourneys)
  expect(affected('contract/card.ts')).toMatchObject({ ...allJourneys, server: ['server/phone/phone.test.ts'] })
  expect(affected('e2e/visitor.ts')).toEqual({ ...nothing, journeys: ['e2e/pay.spec.ts'] })
  expect(affected('e2e/start-sites.ts')).toEqual({ ...nothing, ...allJourneys })
})

it('a change of what starts the server tests affects all of them', () =>
  expect(affected('server/test/prepare.ts').server).toHaveLength(2))

it('a change of what everything stands on affects everything', () => {
  const tests = [...graph.keys()].filter((file) => /\.(?:test|spec)\./.test(file))
  for (const file of ['package-lock.json', 'vitest.config.ts', 'scripts/postgres.mjs']) {
    const { drills, ...files } = affected(file)
    expect(drills).toBe(true)
    expect(Object.values(files).flat().sort()).toEqual(tests.toSorted())
  }
})

it('in this repository, a change of everything affects every test file', () => {
  const real = importGraph()
  const { drills: _, ...files } = affectedBy(['package.json'], real)
  const tests = [...real.keys()].filter(
    (file) => /\.(?:test|spec)\.(?:tsx?|mjs)$/.test(file) && !/^bench\/|^e2e\/screens/.test(file),
  )
  expect(Object.values(files).flat().sort()).toEqual(tests.sort())
})
