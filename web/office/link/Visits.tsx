import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { LinkIcon } from '#web/laterIcons.tsx'
import { Chart } from './Chart.tsx'

/** Visits and joins through the member's link by week: a chart, and a table for screen readers. */
export function Visits({ view: { weeks, totals } }: { view: OfficeView }) {
  return (
    <section className="card" aria-labelledby="visits">
      <h2 id="visits">Visits and joins</h2>
      {totals.visits || totals.joins ? (
        <>
          <dl className="figures">
            <Figure count={totals.visits} one="visit" many="visits" color="visits" />
            <Figure count={totals.joins} one="join" many="joins" color="joins" />
          </dl>
          <Chart weeks={weeks} />
          <p className="small">Last {weeks.length} weeks. Each visitor counts once a day.</p>
          <WeekTable weeks={weeks} />
        </>
      ) : (
        <div className="empty-state">
          <LinkIcon />
          <p>
            <strong>No one has opened your link yet.</strong> Share it with someone who might like to join. You'll see
            the visit here, and their name if they join.
          </p>
        </div>
      )}
    </section>
  )
}

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
