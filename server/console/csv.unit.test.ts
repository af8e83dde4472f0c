import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { CSV_START, csvRow } from './csv.ts'

it.each([
  ['=HYPERLINK("http://evil.example")', '\'=HYPERLINK("http://evil.example")'],
  ['+1+1', "'+1+1"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['\n=1', "'\n=1"],
  [' =1', "' =1"],
  ['\u200b=1', "'\u200b=1"],
  ['＝1+1', "'＝1+1"],
  ['Ann "Fox", Ltd.', 'Ann "Fox", Ltd.'],
  ['two\r\nlines', 'two\r\nlines'],
  ["O'Neil = good", "O'Neil = good"],
  ['', ''],
])('19.29 %j is read back as text, never as a formula', (cell, expected) => {
  const text = CSV_START + csvRow(['before', cell, null, 7])
  expect(parse(text, { bom: true, relax_quotes: false })).toEqual([['before', expected, '', '7']])
})

it('19.29 every cell is quoted, so that none ends where another program sees a separator', () => {
  expect(csvRow(['Ann;=1+1', 'a\t=1', 7, null])).toBe('"Ann;=1+1","a\t=1","7",""\r\n')
})
