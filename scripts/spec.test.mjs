// Every numbered sentence of docs/SPEC.md is cited by a test, and every citation names a sentence.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const spec = readFileSync('docs/SPEC.md', 'utf8')
const sentences = [...spec.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, number]) => number)

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.*', 'e2e/*', 'drill/*'],
  {
    encoding: 'utf8',
  },
)
const cited = new Set(
  files
    .trim()
    .split('\n')
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/['"`]((?:\d+\.\d+ )+)/g)])
    .flatMap(([, numbers]) => numbers.trim().split(' ')),
)

it('every sentence of SPEC.md is cited by a test', () => {
  expect(sentences.filter((number) => !cited.has(number))).toEqual([])
})

it('every number that a test cites is a sentence of SPEC.md', () => {
  expect([...cited].filter((number) => !sentences.includes(number))).toEqual([])
})
