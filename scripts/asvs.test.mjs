// asvs.csv: every requirement of ASVS 5.0.0, levels 1 and 2, has a row with evidence that exists. So has pci.md.
import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'

/** The level of each requirement, in order: 1.2.10 is the tenth of section 1.2, and has level 3. */
const levels = {
  1.1: '22',
  1.2: '1111122223',
  1.3: '112222222223',
  1.4: '222',
  1.5: '123',
  2.1: '122',
  2.2: '112',
  2.3: '12223',
  2.4: '23',
  3.1: '3',
  3.2: '113',
  3.3: '12223',
  3.4: '11222233',
  3.5: '11122333',
  3.6: '3',
  3.7: '22333',
  4.1: '12233',
  4.2: '23333',
  4.3: '22',
  4.4: '1222',
  5.1: '2',
  5.2: '112333',
  5.3: '113',
  5.4: '222',
  6.1: '122',
  6.2: '111111112222',
  6.3: '11223333',
  6.4: '112233',
  6.5: '22222333',
  6.6: '2223',
  6.7: '33',
  6.8: '2222',
  7.1: '222',
  7.2: '1111',
  7.3: '22',
  7.4: '11222',
  7.5: '223',
  7.6: '22',
  8.1: '1233',
  8.2: '1123',
  8.3: '133',
  8.4: '23',
  9.1: '111',
  9.2: '1222',
  10.1: '22',
  10.2: '223',
  10.3: '22223',
  10.4: '1111122222233333',
  10.5: '22222',
  10.6: '22',
  10.7: '222',
  11.1: '2233',
  11.2: '22233',
  11.3: '11233',
  11.4: '1222',
  11.5: '23',
  11.6: '23',
  11.7: '33',
  12.1: '12233',
  12.2: '11',
  12.3: '22223',
  13.1: '2333',
  13.2: '222223',
  13.3: '2233',
  13.4: '1222233',
  14.1: '22',
  14.2: '12223333',
  14.3: '122',
  15.1: '12233',
  15.2: '12233',
  15.3: '1222222',
  15.4: '3333',
  16.1: '2',
  16.2: '22222',
  16.3: '2222',
  16.4: '222',
  16.5: '2223',
  17.1: '23',
  17.2: '22223333',
  17.3: '22',
}
const required = Object.entries(levels)
  .flatMap(([section, levels]) => [...levels].map((level, index) => ({ number: `${section}.${index + 1}`, level })))
  .filter(({ level }) => level !== '3')

const spec = readFileSync('docs/SPEC.md', 'utf8')
const rows = parse(readFileSync('docs/guides/asvs.csv'), { columns: true }).map((row) => ({
  ...row,
  numbers: row.numbers.split(', '),
}))

/** Paths have a slash or an ending; in pci.md `off` and `SECRET` are only words. */
const citations = ({ evidence }) =>
  [...evidence.matchAll(/`([^`]+)`/g)]
    .map(([, text]) => text.split('#'))
    .filter(([file]) => /^[\w@./-]+$/.test(file) && (file.includes('/') || /\.\w+$/.test(file)))
    .map(([file, title = '']) => ({ file, title }))
const specNumbers = ({ evidence }) =>
  [...evidence.matchAll(/SPEC (\d+\.\d+(?:, \d+\.\d+)*)/g)].flatMap(([, numbers]) => numbers.split(', '))

it('20.15 every requirement of levels 1 and 2 is listed once', () => {
  expect(['1', '2'].map((wanted) => required.filter(({ level }) => level === wanted).length)).toEqual([70, 183])
  const inChapter = (start) => required.map(({ number }) => number).filter((number) => number.startsWith(start))
  const listed = rows.flatMap(({ numbers }) =>
    numbers.flatMap((n) => (n.endsWith('*') ? inChapter(n.slice(0, -1)) : n)),
  )
  expect(listed.toSorted()).toEqual(required.map(({ number }) => number).toSorted())
})

it('20.15 every row has what its state needs: evidence, or a reason', () => {
  const needs = {
    Met: ['evidence'],
    'Partly met': ['remark', 'evidence'],
    'Left to you': ['remark', 'evidence'],
    'Different on purpose': ['remark'],
    'Not applicable': ['remark'],
  }
  const isProved = (row) => !row.evidence || citations(row).length + specNumbers(row).length > 0
  const isComplete = (row) => row.requirement && isProved(row) && needs[row.state]?.every((name) => row[name])
  expect(rows.filter((row) => !isComplete(row)).map(({ numbers }) => numbers.join())).toEqual([])
})

/** What Foyer does about each requirement of PCI DSS. Nothing about locks and buildings. */
const pciRows = [...readFileSync('docs/guides/pci.md', 'utf8').matchAll(/^\| (\d+) [^|]*\| (.*?) \| .* \|$/gm)].map(
  ([, number, evidence]) => ({ number, evidence }),
)
const PHYSICAL_ACCESS = '9'
const THE_OPERATORS_POLICY = '12'

it('20.15 all twelve requirements of PCI DSS have a row, and what Foyer does is tested', () => {
  expect(pciRows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  const unproved = pciRows.filter((row) => !specNumbers(row).length).map(({ number }) => number)
  expect(unproved).toEqual([PHYSICAL_ACCESS, THE_OPERATORS_POLICY])
})

it('20.15 every file, test and line that a row names exists', () => {
  const isThere = ({ file, title }) =>
    existsSync(file) && (!title || (/\.(?:test|spec)\.\w+$/.test(file) && readFileSync(file, 'utf8').includes(title)))
  const all = [...rows, ...pciRows]
  expect(all.flatMap(citations).filter((citation) => !isThere(citation))).toEqual([])
  expect(all.flatMap(specNumbers).filter((number) => !spec.includes(`- **${number}** `))).toEqual([])
})
