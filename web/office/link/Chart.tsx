import { shortDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'

type Weeks = OfficeView['weeks']

/** Vertical layout in pixels: space for a badge, the bars, and the labels. */
const TOP = 28
const BASE = 188
const HEIGHT = 216
/** Width of a bar as a share of its week's column. */
const BAR = 0.62
const BADGE_HEIGHT = 20
const DIGIT_WIDTH = 8

/**
 * A bar per week for the visits, with a badge above it for the joins. Horizontal lengths are percentages and vertical
 * ones pixels, so that the chart fits any width and its text keeps its size.
 */
export function Chart({ weeks }: { weeks: Weeks }) {
  const top = axisTop(Math.max(...weeks.map(({ visits }) => visits)))
  const y = (count: number) => BASE - (count / top) * (BASE - TOP)
  const columnWidth = 100 / weeks.length
  return (
    <svg className="chart" width="100%" height={HEIGHT} aria-hidden="true" focusable="false">
      {[0, top / 2, top].map((count) => (
        <g key={count}>
          <line className={count ? 'chart-line' : 'chart-base'} x1="0" x2="100%" y1={y(count)} y2={y(count)} />
          <text className="chart-count" x="-8" y={y(count)} dy="0.35em">
            {count.toLocaleString('en-US')}
          </text>
        </g>
      ))}
      {weeks.map(({ from, visits, joins }, index) => (
        <g key={from} className="chart-week">
          <title>{`Week of ${shortDay(from)}: ${visits} visits, ${joins} joins`}</title>
          <rect className="chart-hover" x={`${index * columnWidth}%`} width={`${columnWidth}%`} y="0" height={BASE} />
          {visits > 0 && (
            <rect
              className="chart-bar"
              x={`${(index + (1 - BAR) / 2) * columnWidth}%`}
              width={`${BAR * columnWidth}%`}
              y={y(visits)}
              height={BASE - y(visits)}
              rx="3"
            />
          )}
          {joins > 0 && <Badge x={(index + 0.5) * columnWidth} y={y(visits)} count={joins} />}
        </g>
      ))}
      <WeekLabels weeks={weeks} />
    </svg>
  )
}

const Badge = ({ x, y, count }: { x: number; y: number; count: number }) => {
  const width = BADGE_HEIGHT + (String(count).length - 1) * DIGIT_WIDTH
  return (
    <svg className="chart-badge" x={`${x}%`} y={y - BADGE_HEIGHT - 4} width="1" height="1" aria-hidden="true">
      <rect x={-width / 2} width={width} height={BADGE_HEIGHT} rx={BADGE_HEIGHT / 2} />
      <text y={BADGE_HEIGHT / 2} dy="0.36em">
        {count}
      </text>
    </svg>
  )
}

/** Labels every third week and the current one. */
function WeekLabels({ weeks }: { weeks: Weeks }) {
  const last = weeks.length - 1
  const hasLabel = (index: number) => index === last || (index % 3 === 0 && last - index > 3)
  return weeks.map(
    ({ from }, index) =>
      hasLabel(index) && (
        <text
          key={from}
          className={index === last ? 'chart-label last' : 'chart-label'}
          x={index === last ? '100%' : `${((index + 0.5) * 100) / weeks.length}%`}
          y={HEIGHT - 6}
        >
          {index === last ? 'This week' : shortDay(from)}
        </text>
      ),
  )
}

// Even numbers, so that the middle grid line is a whole number too.
const SMALL_TOPS = [4, 6, 8]
const TOPS = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100]

/** The largest number on the axis: round, and at least 4, so that a single visit does not fill the chart. */
export function axisTop(most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(most, 1))) - 1)
  const candidates = [...(power === 1 ? SMALL_TOPS : []), ...TOPS.map((top) => top * power)]
  return candidates.find((top) => top >= most) ?? most
}
