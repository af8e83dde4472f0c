import type { Machine } from './machine.ts'
import { type SiteFigures, type SiteName, titles } from './page/rows.ts'
import { quartiles, ratioQuartiles } from './statistics.ts'

type Result = { date: string; machine: Machine; figures: Record<string, unknown> }

const charts = [
  { times: 'largest_paint', title: 'Largest paint' },
  { times: 'next_answered', title: 'Next, pressed early, answered' },
] as const

const WIDTH = 760
const LEFT = 150
const RIGHT = 150
const ROW = 30
const BAR = 16
const HEAD = 44
const FOOT = 46
const names = Object.keys(titles) as SiteName[]
const chartHeight = HEAD + names.length * ROW

/** A bar chart (SVG) of the first step and its peers, for light and dark backgrounds. */
export function drawChart({ date, machine, figures }: Result): string {
  const sites = figures.page as Record<SiteName, SiteFigures>
  const height = charts.length * chartHeight + FOOT
  const drawings = charts.map(({ times, title }, index) => {
    const results = names.map((name) => ({
      name,
      ...quartiles(sites[name][times]),
      ratio: ratioQuartiles(sites[name][times], sites.static[times]).median,
    }))
    const longest = Math.max(...results.map(({ high }) => high))
    const x = (ms: number) => LEFT + (ms / longest) * (WIDTH - LEFT - RIGHT)
    const bars = results.map(({ name, median, low, high, ratio }, row) => {
      const y = HEAD + row * ROW
      const middle = y + BAR / 2
      return `<g${name === 'foyer' ? ' class="ours"' : ''}>
<text x="${LEFT - 12}" y="${middle}" class="name">${titles[name]}</text>
<rect x="${LEFT}" y="${y}" width="${round(x(median) - LEFT)}" height="${BAR}" rx="3"/>
<path d="M${round(x(low))} ${middle}H${round(x(high))}"/>
<text x="${round(x(Math.max(median, high)) + 10)}" y="${middle}">${Math.round(median)} ms · ${ratio.toFixed(2)} ×</text>
</g>`
    })
    return `<g transform="translate(0 ${index * chartHeight})">\n<text x="0" y="22" class="title">${title}</text>\n${bars.join('\n')}\n</g>`
  })
  const rounds = sites.foyer.largest_paint.length
  const legend = `Median of ${rounds} rounds, in random order. The line covers the middle half. × is relative to static HTML.`
  const conditions = `${date.slice(0, 10)} · Chromium ${machine.chromium}, 150 ms, 1.6 Mbit/s, processor 4 times slower · ${machine.processor}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="How fast the first step is, beside the same step built in other ways">
<style>
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #3b3a36; dominant-baseline: central }
.name { text-anchor: end }
.title { font-size: 15px; font-weight: 650; dominant-baseline: auto }
.note { font-size: 11px; fill: #6b675f; dominant-baseline: auto }
rect { fill: #b9b2a4 }
path { stroke: #1d1b17; stroke-width: 1.5 }
.ours rect { fill: #0b5d4a }
.ours text { font-weight: 650 }
@media (prefers-color-scheme: dark) {
text { fill: #e6e1d6 }
.note { fill: #a9a296 }
rect { fill: #6a6459 }
path { stroke: #f5f1e8 }
.ours rect { fill: #3f9c83 }
}
</style>
${drawings.join('\n')}
<text x="0" y="${height - 24}" class="note">${legend}</text>
<text x="0" y="${height - 8}" class="note">${escapeHtml(conditions)}</text>
</svg>
`
}

const round = (number: number) => Number(number.toFixed(1))

const escapeHtml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
