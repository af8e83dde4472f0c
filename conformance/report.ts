import { type Result, type Verdict, verdicts } from './row.ts'

/** One line for each verdict that occurs, such as `21 hold`. */
export function summaryOf(results: Result[]): string {
  const count = (verdict: Verdict) => results.filter((each) => each.verdict === verdict).length
  const words: Record<Verdict, string> = { holds: 'hold', warning: 'warnings', fails: 'fail', 'not tried': 'not tried' }
  return verdicts.map((verdict) => `${count(verdict)} ${words[verdict]}`).join(', ')
}

export function toTable(results: Result[]): string {
  const widest = Math.max(...results.map(({ id }) => id.length))
  const lines = results.map(
    ({ id, verdict, seen, sentence }) =>
      `${verdict.padEnd(9)}  ${id.padEnd(widest)}  ${seen}${verdict === 'fails' ? `\n${' '.repeat(11)}The spec: ${sentence}` : ''}`,
  )
  return `${lines.join('\n')}\n\n${summaryOf(results)}`
}

export const toJson = (url: string, results: Result[]): string => `${JSON.stringify({ url, results }, null, 2)}\n`

export function toJunit(results: Result[]): string {
  const cases = results.map(({ id, group, sentence, verdict, seen }) => {
    const inside: Partial<Record<Verdict, string>> = {
      fails: `<failure message="${escapeText(seen)}">${escapeText(sentence)}</failure>`,
      'not tried': `<skipped message="${escapeText(seen)}"/>`,
      warning: `<system-out>${escapeText(seen)}</system-out>`,
    }
    return `  <testcase classname="${group}" name="${escapeText(`${id}: ${sentence}`)}">${inside[verdict] ?? ''}</testcase>`
  })
  const count = (verdict: Verdict) => results.filter((each) => each.verdict === verdict).length
  const counts = `tests="${results.length}" failures="${count('fails')}" skipped="${count('not tried')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}

/** One page without anything to load, to hand to the host's developers. */
export function toHtml(url: string, results: Result[]): string {
  const row = ({ id, sentence, verdict, seen }: Result) =>
    `<tr class="${verdict.replace(' ', '-')}"><th scope="row">${escapeText(id)}</th><td>${escapeText(sentence)}</td><td>${verdict}</td><td>${escapeText(seen)}</td></tr>`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance of ${escapeText(url)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c2421; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid #d9dfdc; overflow-wrap: anywhere }
  td:nth-child(3) { white-space: nowrap; font-weight: 600 }
  .holds td:nth-child(3) { color: #17693f } .warning td:nth-child(3) { color: #8a5200 }
  .fails td:nth-child(3) { color: #b3261e } .not-tried { color: #5b6661 }
</style>
<h1>Conformance</h1>
<p>${escapeText(url)}: ${summaryOf(results)}</p>
<table>
<thead><tr><th scope="col">Requirement</th><th scope="col">What the specification says</th><th scope="col">Verdict</th><th scope="col">What was seen</th></tr></thead>
<tbody>
${results.map(row).join('\n')}
</tbody>
</table>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML allows no control characters but tabs and line breaks. */
const escapeText = (text: string) =>
  text.replace(/(?![\t\r\n])\p{Cc}/gu, '').replace(/[&<>"]/g, (each) => entities[each] ?? '')
