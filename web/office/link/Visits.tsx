import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { Fold } from '../Fold.tsx'
import { Chart } from './Chart.tsx'

/** Visits and joins through the member's link by week: a chart, and a table for screen readers. */
export function Visits({ view: { weeks, totals, membership } }: { view: OfficeView }) {
  const isEmpty = !totals.visits && !totals.joins
  if (isEmpty && membership.is_over) return null
  return (
    <Fold
      id="visits"
      title="Visits and joins"
      note={
        isEmpty
          ? 'No one has opened your link yet.'
          : `${count(totals.visits, 'visit')}, ${count(totals.joins, 'join')}`
      }
    >
      {isEmpty ? (
        <p className="small">
          Share your link with someone who might like to join. You’ll see the visit here, and their name if they join.
        </p>
      ) : (
        <>
          <dl className="figures">
            <Figure count={totals.visits} one="visit" many="visits" color="visits" />
            <Figure count={totals.joins} one="join" many="joins" color="joins" />
          </dl>
          <Chart weeks={weeks} />
          <p className="small">Last {weeks.length} weeks. Each visitor counts once a day.</p>
          <WeekTable weeks={weeks} />
        </>
      )}
    </Fold>
  )
}

const count = (number: number, what: string) => `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`

type FigureProps = { count: number; one: string; many: string; color: 'visits' | 'joins' }

const Figure = ({ count, one, many, color }: FigureProps) => (
  <div>
    <dt>
      <i className={`swatch ${color}`} />
      {count === 1 ? one : many}
    </dt>
    <dd>{count.toLocaleString('en-US')}</dd>
  </div>
)

const WeekTable = ({ weeks }: Pick<OfficeView, 'weeks'>) => (
  <div className="unseen">
    <table>
      <caption>Visits and joins by week</caption>
      <thead>
        <tr>
          <th scope="col">Week of</th>
          <th scope="col">Visits</th>
          <th scope="col">Joins</th>
        </tr>
      </thead>
      <tbody>
        {weeks.map(({ from, visits, joins }) => (
          <tr key={from}>
            <th scope="row">{longDay(from)}</th>
            <td>{visits}</td>
            <td>{joins}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
