// docs/REQUIREMENTS.md: every requirement of the owner's specification has a verdict, and a test that exists.
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const verdicts = ['met', 'decided']

const spec = readFileSync('docs/SPEC.md', 'utf8')
const sentences = [...spec.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, number]) => number)

const rows = [...readFileSync('docs/REQUIREMENTS.md', 'utf8').matchAll(/^\| (S\d.*) \|$/gm)].map(([, line]) => {
  const [id, requirement, verdict, source, tests, ...rest] = line.split(' | ')
  return { id, requirement, verdict, source, tests, rest }
})
/** Every test that a row cites: its file, its title, and perhaps lines of its table. */
const citations = rows.flatMap(({ id, tests = '' }) =>
  tests.split('<br>').map((test) => {
    const [file = '', title = '', ...lines] = [...test.matchAll(/`([^`]+)`/g)].map(([, text]) => text)
    return { id, file, title, lines }
  }),
)

const count = (text, part) => text.split(part).length - 1
const quotes = ["'", '"', '`']
const countStarts = (text, start) => quotes.reduce((sum, quote) => sum + count(text, quote + start), 0)

/** The whole title of a test, or a beginning that no other string of the file has. */
const hasTest = ({ file, title, lines }) => {
  if (!/\.(?:test|spec)\.\w+$/.test(file) || !title || !existsSync(file)) return false
  const text = readFileSync(file, 'utf8')
  const isTitle = quotes.some((quote) => text.includes(quote + title + quote)) || countStarts(text, title) === 1
  return isTitle && lines.every((line) => text.includes(line))
}

it('every section of the specification has its rows, numbered without gaps, with five columns each', () => {
  const sections = Map.groupBy(rows, ({ id }) => id.split('.')[0])
  expect([...sections.keys()]).toEqual(Array.from({ length: 9 }, (_, index) => `S${index + 1}`))
  for (const [section, { length }] of sections)
    expect(sections.get(section).map(({ id }) => id)).toEqual(
      Array.from({ length }, (_, index) => `${section}.${index + 1}`),
    )
  expect(
    rows.filter(({ requirement, source, tests, rest }) => !requirement || !source || !tests || rest.length),
  ).toEqual([])
})

it('every requirement is met, or differs by a decision that exists', () => {
  expect(rows.filter(({ verdict }) => !verdicts.includes(verdict))).toEqual([])
  const links = (source) => [...source.matchAll(/\]\((decisions\/[\w-]+\.md)\)/g)].map(([, file]) => file)
  const linked = rows.flatMap(({ source }) => links(source))
  expect(linked.filter((file) => !existsSync(`docs/${file}`))).toEqual([])
  expect(rows.filter(({ verdict, source }) => verdict === 'decided' && !links(source).length)).toEqual([])
})

it('every sentence that a requirement names exists in SPEC.md', () => {
  const named = rows.flatMap(({ source = '' }) => source.replace(/\[.*?\]\(.*?\)/g, '').match(/\d+\.\d+/g) ?? [])
  expect(named.filter((number) => !sentences.includes(number))).toEqual([])
})

it('every test that a requirement names exists, under that title', () => {
  expect(citations.filter((citation) => !hasTest(citation))).toEqual([])
})
