import type { Machine } from './machine.ts'
import { type Measured, type SiteName, titles } from './page/rows.ts'
import { middleOf, ratios } from './server/compare.ts'

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

/** Bars of the first step and its peers, readable on light and on dark. */
export function picture({ date, machine, figures }: Result): string {
  const all = figures.page as Record<SiteName, Measured>
  const height = charts.length * chartHeight + FOOT
  const drawn = charts.map(({ times, title }, index) => {
    const found = names.map((name) => ({
      name,
      ...middleOf(all[name][times]),
      share: ratios(all[name][times], all.static[times]).median,
    }))
    const most = Math.max(...found.map(({ high }) => high))
    const x = (ms: number) => LEFT + (ms / most) * (WIDTH - LEFT - RIGHT)
    const bars = found.map(({ name, median, low, high, share }, row) => {
      const y = HEAD + row * ROW
      const middle = y + BAR / 2
      return `<g${name === 'foyer' ? ' class="ours"' : ''}>
<text x="${LEFT - 12}" y="${middle}" class="name">${titles[name]}</text>
<rect x="${LEFT}" y="${y}" width="${at(x(median) - LEFT)}" height="${BAR}" rx="3"/>
<path d="M${at(x(low))} ${middle}H${at(x(high))}"/>
<text x="${at(x(Math.max(median, high)) + 10)}" y="${middle}">${Math.round(median)} ms · ${share.toFixed(2)} ×</text>
</g>`
    })
    return `<g transform="translate(0 ${index * chartHeight})">\n<text x="0" y="22" class="title">${title}</text>\n${bars.join('\n')}\n</g>`
  })
  const rounds = all.foyer.largest_paint.length
  const told = `Median of ${rounds} rounds, in random order; the line spans half of them; × is the share of static HTML.`
  const where = `${date.slice(0, 10)} · Chromium ${machine.chromium}, 150 ms, 1.6 Mbit/s, processor slowed 4 times · ${machine.processor}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="How fast the first step is, beside the same step written in other ways">
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
${drawn.join('\n')}
<text x="0" y="${height - 24}" class="note">${told}</text>
<text x="0" y="${height - 8}" class="note">${escaped(where)}</text>
</svg>
`
}

const at = (number: number) => Number(number.toFixed(1))

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
