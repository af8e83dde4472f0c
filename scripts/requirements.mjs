/** Reads the tags of docs/SPEC.md. Run, it prints every requirement of the owner with its sentence, verdict and tests. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const sentences = [...readFileSync('docs/SPEC.md', 'utf8').matchAll(/^- \*\*(\d+\.\d+)\*\* (.*)/gm)].map(
  ([, number, text]) => ({ number, text }),
)

/** S4.1-S4.3 is S4.1, S4.2 and S4.3. */
const expand = (range) => {
  const [[section, from], [, to] = [section, from]] = range.split('-').map((id) => id.split('.'))
  return Array.from({ length: to - from + 1 }, (_, index) => `${section}.${Number(from) + index}`)
}

/** One entry for each requirement that a sentence names. `says` is the clause before its tag. */
export const requirements = sentences.flatMap(({ number, text }) => {
  const parts = text.split(/ ?\[(S\d[\d.S -]*?)(?: decision (\d+))?\]/)
  return Array.from({ length: (parts.length - 1) / 3 }, (_, index) => index * 3).flatMap((at) =>
    parts[at + 1]
      .split(' ')
      .flatMap(expand)
      .map((id) => ({ id, number, says: parts[at].replace(/^[.,;: ]+/, '') || text, decision: parts[at + 2] })),
  )
})

/** The title of each test, with the number of a sentence that it cites. */
const findTests = () => {
  const files = execFileSync('git', ['ls-files', '*.test.*', 'e2e/*.spec.ts'], { encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/['"`]((?:\d+\.\d+ )+)(.*?)['"`][,)]/g)].flatMap(([, numbers, title]) =>
      numbers
        .trim()
        .split(' ')
        .map((number) => ({ number, test: `${file}: ${title}` })),
    ),
  )
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const tests = findTests()
  const inOrder = requirements.toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }))
  console.log('| Requirement | Sentence | What it says | Verdict | Tests |\n|---|---|---|---|---|')
  for (const { id, number, says, decision } of inOrder) {
    const verdict = decision ? `decision ${decision}` : 'met'
    const named = tests.filter((citation) => citation.number === number).map(({ test }) => test)
    console.log(`| ${id} | ${number} | ${says} | ${verdict} | ${named.join('<br>')} |`)
  }
}
