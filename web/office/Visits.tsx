import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { LinkIcon } from '#web/laterIcons.tsx'
import { Chart } from './Chart.tsx'

/** Who came through the member's link, week by week: as a drawing for the eyes and as a table for the ears. */
export function Visits({ view: { weeks, totals } }: { view: OfficeView }) {
  return (
    <section className="card" aria-labelledby="visits">
      <h2 id="visits">Visits and joins</h2>
      {totals.visits || totals.joins ? (
        <>
          <dl className="figures">
            <Figure count={totals.visits} one="visit" many="visits" kind="" />
            <Figure count={totals.joins} one="join" many="joins" kind="mark" />
          </dl>
          <Chart weeks={weeks} />
          <p className="small">The last {weeks.length} weeks. Each visitor counts once a day.</p>
          <Numbers weeks={weeks} />
        </>
      ) : (
        <div className="nothing">
          <LinkIcon />
          <p>
            <strong>Nobody has opened your link yet.</strong> Send it to one person who would like it here. You see the
            visit on this page, and the name of whoever joins.
          </p>
        </div>
      )}
    </section>
  )
}

type FigureProps = { count: number; one: string; many: string; kind: '' | 'mark' }

const Figure = ({ count, one, many, kind }: FigureProps) => (
  <div>
    <dt>
      <i className={`sign ${kind}`} />
      {count === 1 ? one : many}
    </dt>
    <dd>{count.toLocaleString('en-US')}</dd>
  </div>
)

const Numbers = ({ weeks }: Pick<OfficeView, 'weeks'>) => (
  <div className="unseen">
    <table>
      <caption>Visits and joins by week</caption>
      <thead>
        <tr>
          <th scope="col">Week from</th>
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
