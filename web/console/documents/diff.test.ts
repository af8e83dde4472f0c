import { expect, it } from 'vitest'
import { type DiffLine, diffTexts, diffWords } from './diff.ts'

const marked = (lines: DiffLine[]) =>
  lines.map((line) => {
    if (line.kind === 'gap') return `(${line.count})`
    if (line.kind === 'same') return line.text
    const marks = { same: '', added: '+', removed: '-' }
    return line.pieces.map(({ kind, text }) => `${marks[kind]}[${text}]`).join('')
  })

it('19.58 a changed word is marked within its paragraph, and paragraphs far from it are left out', () => {
  const before = ['<h2>Price</h2>', '<p>One</p>', '<p>You pay $99 a month.</p>', '<p>Two</p>', '<p>Three</p>'].join(
    '\n',
  )
  const after = before.replace('$99', '$109')
  expect(marked(diffTexts(before, after))).toEqual([
    '(1)',
    '<p>One</p>',
    '[<p>You pay ]-[$99 ]+[$109 ][a month.</p>]',
    '<p>Two</p>',
    '(1)',
  ])
})

it('19.58 added and removed paragraphs are found, and equal texts have no change', () => {
  expect(marked(diffTexts('a\nb\nc', 'a\nc'))).toEqual(['a', '-[b]', 'c'])
  expect(marked(diffTexts('a\nc', 'a\n\nb\nc'))).toEqual(['a', '+[b]', 'c'])
  expect(diffTexts('a\nb', 'a\nb')).toEqual([{ kind: 'gap', count: 2 }])
  expect(diffTexts('', 'a')).toEqual([{ kind: 'changed', pieces: [{ kind: 'added', text: 'a' }] }])
})

it('19.58 both texts can be read again from the marks, whatever changed', () => {
  const before = 'Cancel in <b>one</b> step.\nNo fee. < 3 days'
  const after = 'Cancel in two steps.\nNo <i>fee</i>. < 4 days'
  const pieces = diffWords(before, after)
  const textOf = (kind: string) =>
    pieces.map((piece) => (piece.kind === 'same' || piece.kind === kind ? piece.text : '')).join('')
  expect([textOf('removed'), textOf('added')]).toEqual([before, after])
})

it('19.58 very long texts are compared without a long wait', () => {
  const words = (seed: number) => Array.from({ length: 4000 }, (_, n) => `w${(n * seed) % 977}`).join(' ')
  expect(diffWords(words(3), words(7)).map(({ kind }) => kind)).toEqual(['same', 'removed', 'added'])
})
