/**
 * Numbers the sentences of docs/SPEC.md in their order and without gaps, wherever they are named: in its own lines, in titles of
 * tests, and as "SPEC 4.2". A new sentence in the middle of a section can have any number that is free until this has run.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const numbers = new Map()
let section = 0
let sentence = 0
for (const [, heading, number] of readFileSync('docs/SPEC.md', 'utf8').matchAll(
  /^(?:## (\d+)\. |- \*\*(\d+\.\d+)\*\* )/gm,
)) {
  if (heading) [section, sentence] = [heading, 0]
  else if (numbers.has(number)) throw new Error(`SPEC.md has ${number} twice.`)
  else numbers.set(number, `${section}.${++sentence}`)
}

const places = [
  /(?<=['"`#])(?:\d+\.\d+ )+/g, // titles, also as asvs.csv quotes them
  /(?<=SPEC )\d+\.\d+(?:, \d+\.\d+)*/g,
]
const placesInSpec = [/(?<=^- \*\*)\d+\.\d+(?=\*\* )/gm, /(?<=\()\d+\.\d+(?=\))/g]

const renumber = (text) => text.replace(/\d+\.\d+/g, (number) => numbers.get(number) ?? number)
const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md', 'docs/*.csv'], { encoding: 'utf8' })
  .trim()
  .split('\n')
for (const file of files) {
  const before = readFileSync(file, 'utf8')
  const all = file === 'docs/SPEC.md' ? placesInSpec : places
  const after = all.reduce((text, place) => text.replace(place, renumber), before)
  if (after !== before) writeFileSync(file, after)
}
