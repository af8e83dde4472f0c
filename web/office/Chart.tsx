import type { OfficeView } from '#contract/office-calls.ts'
import { shortDay } from '#web/dates.ts'
import { topOf } from './scale.ts'

type Weeks = OfficeView['weeks']

/** In pixels from the top: room for a mark above the highest bar, the bars, the names of the weeks. */
const TOP = 28
const BASE = 188
const HEIGHT = 216
/** Of a week's room, how much its bar takes. */
const BAR = 0.62
/** A mark as tall as a line of small text, and as wide as its digits. */
const MARK = 20
const DIGIT = 8

/**
 * A bar for the visits of each week, and over it a mark with the number of joins. Lengths from left to right are in
 * percent, all others in pixels: it fits every width without its words growing or shrinking.
 */
export function Chart({ weeks }: { weeks: Weeks }) {
  const top = topOf(Math.max(...weeks.map(({ visits }) => visits)))
  const y = (count: number) => BASE - (count / top) * (BASE - TOP)
  const room = 100 / weeks.length
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
          <title>{`Week from ${shortDay(from)}: ${visits} visits, ${joins} joins`}</title>
          <rect className="chart-touch" x={`${index * room}%`} width={`${room}%`} y="0" height={BASE} />
          {visits > 0 && (
            <rect
              className="chart-bar"
              x={`${(index + (1 - BAR) / 2) * room}%`}
              width={`${BAR * room}%`}
              y={y(visits)}
              height={BASE - y(visits)}
              rx="3"
            />
          )}
          {joins > 0 && <Mark x={(index + 0.5) * room} y={y(visits)} count={joins} />}
        </g>
      ))}
      <Names weeks={weeks} />
    </svg>
  )
}

const Mark = ({ x, y, count }: { x: number; y: number; count: number }) => {
  const width = MARK + (String(count).length - 1) * DIGIT
  return (
    <svg className="chart-mark" x={`${x}%`} y={y - MARK - 4} width="1" height="1" aria-hidden="true">
      <rect x={-width / 2} width={width} height={MARK} rx={MARK / 2} />
      <text y={MARK / 2} dy="0.36em">
        {count}
      </text>
    </svg>
  )
}

/** Every third week, and this one. */
function Names({ weeks }: { weeks: Weeks }) {
  const last = weeks.length - 1
  const isNamed = (index: number) => index === last || (index % 3 === 0 && last - index > 3)
  return weeks.map(
    ({ from }, index) =>
      isNamed(index) && (
        <text
          key={from}
          className={index === last ? 'chart-name last' : 'chart-name'}
          x={index === last ? '100%' : `${((index + 0.5) * 100) / weeks.length}%`}
          y={HEIGHT - 6}
        >
          {index === last ? 'This week' : shortDay(from)}
        </text>
      ),
  )
}
