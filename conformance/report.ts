import { type Group, type Result, type Verdict, verdicts } from './row.ts'

export type Report = { url: string; asked_at: Date; results: Result[] }

const wordOf: Record<Verdict, string> = { holds: 'hold', warning: 'warnings', fails: 'fail', 'not tried': 'not tried' }

const countOf = (verdict: Verdict, results: Result[]) => results.filter((each) => each.verdict === verdict).length

/** Such as `21 hold, 2 warnings, 0 fail, 3 not tried`. */
const summaryOf = (results: Result[]): string =>
  verdicts.map((verdict) => `${countOf(verdict, results)} ${wordOf[verdict]}`).join(', ')

export function toTable(results: Result[]): string {
  const widest = Math.max(...results.map(({ id }) => id.length))
  const lines = results.map(
    ({ id, verdict, seen, sentence }) =>
      `${verdict.padEnd(9)}  ${id.padEnd(widest)}  ${seen}${verdict === 'fails' ? `\n${' '.repeat(11)}The spec: ${sentence}` : ''}`,
  )
  return `${lines.join('\n')}\n\n${summaryOf(results)}`
}

export const toJson = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`

export function toJunit(results: Result[]): string {
  const cases = results.map(({ id, group, sentence, verdict, seen }) => {
    const inside: Partial<Record<Verdict, string>> = {
      fails: `<failure message="${escapeText(seen)}">${escapeText(sentence)}</failure>`,
      'not tried': `<skipped message="${escapeText(seen)}"/>`,
      warning: `<system-out>${escapeText(seen)}</system-out>`,
    }
    return `  <testcase classname="${group}" name="${escapeText(`${id}: ${sentence}`)}">${inside[verdict] ?? ''}</testcase>`
  })
  const counts = `tests="${results.length}" failures="${countOf('fails', results)}" skipped="${countOf('not tried', results)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}

/** A self-contained page to send to the host's developers: first what to do, then everything that was asked. */
export function toHtml({ url, asked_at, results }: Report): string {
  const open = results.filter(({ verdict }) => verdict === 'fails' || verdict === 'warning')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance of ${escapeText(url)}</title>
<style>${STYLE}</style>
<header>
<h1>${headlineOf(results)}</h1>
<p><code>${escapeText(url)}</code>, asked on <time>${asked_at.toISOString().slice(0, 16).replace('T', ' at ')} UTC</time></p>
<ul>${verdicts.map((verdict) => chipOf(verdict, results)).join('')}</ul>
</header>
${open.length ? `<section><h2>To look at</h2>${open.map(problemOf).join('')}</section>` : ''}
${Object.entries(groupTitles)
  .map(([group, title]) =>
    sectionOf(
      title,
      results.filter((each) => each.group === group),
    ),
  )
  .join('\n')}
</html>
`
}

function headlineOf(results: Result[]): string {
  const fails = countOf('fails', results)
  if (fails) return fails === 1 ? 'One requirement isn’t met' : `${fails} requirements aren’t met`
  const isWhole = results.every(({ verdict }) => verdict !== 'not tried')
  return isWhole ? 'Every requirement is met' : 'Every requirement that was tried is met'
}

const groupTitles: Record<Group, string> = { read: 'Reading', phone: 'Phone codes', write: 'Enrolling' }
const classOf = (verdict: Verdict) => verdict.replace(' ', '-')

function chipOf(verdict: Verdict, results: Result[]): string {
  const count = countOf(verdict, results)
  return count
    ? `<li class="${classOf(verdict)}"><b>${count}</b> ${verdict === 'holds' ? 'met' : wordOf[verdict]}</li>`
    : ''
}

const problemOf = ({ id, sentence, verdict, seen }: Result) =>
  `<article class="${classOf(verdict)}"><h3><code>${escapeText(id)}</code></h3><p>${escapeText(seen)}</p><p class="spec">The specification: ${escapeText(sentence)}</p></article>`

function sectionOf(title: string, rows: Result[]): string {
  const reasons = new Set(rows.map(({ verdict, seen }) => (verdict === 'not tried' ? seen : '')))
  const [reason] = reasons
  if (reasons.size === 1 && reason)
    return `<section><h2>${title}</h2><p class="not-tried">Not tried. ${escapeText(reason)}</p></section>`
  const row = ({ id, sentence, verdict, seen }: Result) =>
    `<tr class="${classOf(verdict)}"><th scope="row"><code>${escapeText(id)}</code></th><td>${escapeText(sentence)}</td><td><span>${verdict}</span></td><td>${escapeText(seen)}</td></tr>`
  return `<section><h2>${title}</h2><table>
<thead><tr><th scope="col">Requirement</th><th scope="col">What the specification says</th><th scope="col">Verdict</th><th scope="col">What was seen</th></tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody></table></section>`
}

const STYLE = `
:root { color-scheme: light dark; --paper: #f7f5ef; --card: #fff; --ink: #1c2421; --soft: #5b6661; --line: #d9dfdc; --good: #0b5d4a; --warn: #8a5200; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --paper: #141a18; --card: #1c2421; --ink: #e8ece9; --soft: #9aa7a1; --line: #34403b; --good: #85cdb6; --warn: #e6b25c; --bad: #f2a29b } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; color: var(--ink); background: var(--paper) }
h1, h2 { font-family: 'Iowan Old Style', 'Palatino Linotype', Charter, Georgia, serif; line-height: 1.2 }
h1 { font-size: 2rem; margin: 0 0 .25rem } h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem } h3 { margin: 0; font-size: 1rem }
header p { margin: 0; color: var(--soft) } code { font: .875em ui-monospace, Consolas, monospace; overflow-wrap: anywhere }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 0; padding: 0 }
li { padding: .25rem .75rem; border: 1px solid currentColor; border-radius: 1rem }
article { background: var(--card); border: 1px solid var(--line); border-left: 4px solid currentColor; border-radius: .5rem; padding: .75rem 1rem; margin: .5rem 0 }
article > * { color: var(--ink) } article p { margin: .25rem 0 0 } article .spec { color: var(--soft) }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line) }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); font-weight: 400 }
thead th { color: var(--soft); font-size: .875rem } tbody th, td:nth-child(3) { white-space: nowrap } td:nth-child(3) { font-weight: 600 }
.holds span, li.holds { color: var(--good) } .warning span, li.warning, article.warning { color: var(--warn) } .fails span, li.fails, article.fails { color: var(--bad) }
.not-tried, .not-tried span { color: var(--soft) }
@media (max-width: 45rem) { thead { display: none } tr { display: block; padding: .5rem .75rem; border-bottom: 1px solid var(--line) } tbody th, td { display: block; padding: 0; border: 0 } }
@media print { body { background: none; padding: 0 } tr, article { break-inside: avoid } }`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML allows no control characters but tabs and line breaks. */
const escapeText = (text: string) =>
  text.replace(/(?![\t\r\n])\p{Cc}/gu, '').replace(/[&<>"]/g, (each) => entities[each] ?? '')
