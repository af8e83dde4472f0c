// Every numbered sentence of docs/SPEC.md is cited by a test, and every citation names a sentence.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readConfig } from '../server/config/config.ts'
import { testedDrills } from './drills.mjs'

const spec = readFileSync('docs/SPEC.md', 'utf8')
const sentences = [...spec.matchAll(/^- \*\*(\d+\.\d+)\*\*(.*)/gm)].map(([, number, text]) => ({ number, text }))

const gitArguments = ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.*', 'e2e/*', 'drill/*']
const files = execFileSync('git', gitArguments, { encoding: 'utf8' }).trim().split('\n')
const read = (file) => readFileSync(file, 'utf8')

const isManualDrill = (file) =>
  file.startsWith('drill/') && !file.split(/[/.-]/).some((part) => testedDrills.includes(part))

const citedBy = (files) =>
  new Set(
    files
      .flatMap((file) => [...read(file).matchAll(/['"`]((?:\d+\.\d+ )+)/g)])
      .flatMap(([, numbers]) => numbers.trim().split(' ')),
  )
const cited = citedBy(files.filter((file) => !isManualDrill(file)))
const citedByManualDrills = citedBy(files.filter(isManualDrill))

it('every sentence of SPEC.md is cited by a test of npm test, or names the drill to run by hand', () => {
  const uncited = sentences.filter(({ number }) => !cited.has(number))
  expect(
    uncited.filter(({ number, text }) => !citedByManualDrills.has(number) || !/`npm run drill -- \w+`/.test(text)),
  ).toEqual([])
})

it('every section has its sentences in order, without gaps (node scripts/renumber.mjs)', () => {
  const expected = [...spec.matchAll(/^## (\d+)\..*\n(?:(?!## ).*\n)*/gm)].flatMap(([text, section]) =>
    (text.match(/^- \*\*/gm) ?? []).map((_, index) => `${section}.${index + 1}`),
  )
  expect(sentences.map(({ number }) => number)).toEqual(expected)
})

it('every number that a test cites exists in SPEC.md', () => {
  const specNumbers = sentences.map(({ number }) => number)
  expect([...cited, ...citedByManualDrills].filter((number) => !specNumbers.includes(number))).toEqual([])
})

it('6.4 every limit is reached in some test, not only raised', () => {
  const limits = Object.keys(readConfig({})).filter((name) => name.startsWith('LIMIT_'))
  const tests = files.filter((file) => /^server\/.*(?<!config\.unit|start\.unit)\.test\.ts$/.test(file))
  const text = tests.map(read).join('\n')
  expect(limits.filter((name) => !new RegExp(`\\b${name}\\b(?!: '\\d{3,}/)`).test(text))).toEqual([])
})
