import { Fragment, type ReactNode } from 'react'
import { showAmount } from '#contract/money.ts'
import { useConsole } from '../api.ts'
import { WeekFunnel } from '../funnel/FunnelScreen.tsx'
import { Chip, Facts, Panel, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

/** The day at a glance: what came in, what is due, what there is to do. */
export function TodayScreen() {
  const { api, session, may } = useConsole()
  const loaded = useLoaded('today', () => api.getToday({}))
  const { data } = loaded
  if (!data) return <Waiting loaded={loaded} />
  const { today, week_ago } = data
  const difference = today.joined - week_ago.joined
  return (
    <>
      <ScreenHead title="Today" />
      <ul className="figures">
        <Figure name="Joined" value={today.joined}>
          {difference === 0
            ? 'as many as a week ago'
            : `${Math.abs(difference)} ${difference > 0 ? 'more' : 'fewer'} than a week ago`}
        </Figure>
        <Figure name="Collected" value={showSum(today.collected)}>
          {plural(today.renewals, 'renewal')}, {plural(today.first_payments, 'first payment')}
          {today.refunded !== '0.00' && ` · ${showAmount(today.refunded)} refunded`}
          {today.disputed !== '0.00' && ` · ${showAmount(today.disputed)} disputed`}
        </Figure>
        <Figure name="Renewals left today" value={data.renewals_due}>
          {data.declined} declined today, {data.saved} saved ·{' '}
          <Link to="/console/members?state=past_due">{data.past_due} past due</Link>
        </Figure>
        <Figure name="Canceled" value={data.canceled}>
          <Link to="/console/members?state=canceled">see who’s leaving</Link>
        </Figure>
      </ul>
      <div className="member-grid">
        <Panel title="Newest members" aside={<Link to="/console/members">All members</Link>}>
          <ul className="rows">
            {data.newest.map(({ id, name, sponsor, joined_at }) => (
              <li key={id}>
                <div>
                  <Link to={`/console/members/${id}`} className="row-link">
                    <bdi>{name}</bdi>
                  </Link>
                  <p className="small">
                    under <bdi>{sponsor}</bdi>
                  </p>
                </div>
                <p className="small">{showTime(joined_at, session.time_zone)}</p>
              </li>
            ))}
          </ul>
          {data.newest.length === 0 && <p className="small">No one has joined yet.</p>}
        </Panel>
        <div className="stack">
          {may('see_funnel') && <WeekFunnel />}
          {may('see_problems') && (
            <Panel title="To do">
              <p className="small">
                {data.problems ? `${data.problems} waiting. ` : 'Nothing is waiting. '}
                <Link to="/console/problems">See the list</Link>
              </p>
            </Panel>
          )}
          <Panel title="System status">
            <Facts
              facts={data.parts.map(({ name, state, at, is_good }) => [
                name,
                <Fragment key={name}>
                  <Chip tone={is_good ? 'good' : 'warn'}>{state}</Chip>
                  {at && <p className="small">{showTime(at, session.time_zone)}</p>}
                </Fragment>,
              ])}
            />
          </Panel>
        </div>
      </div>
    </>
  )
}

/** '$1,113.00' */
const showSum = (amount: string) => showAmount(amount).replace(/\B(?=(\d{3})+\.)/g, ',')

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

type FigureProps = { name: string; value: string | number; children: ReactNode }

const Figure = ({ name, value, children }: FigureProps) => (
  <li className="card figure">
    <p className="small">{name}</p>
    <p className="figure-value">{value}</p>
    <p className="small">{children}</p>
  </li>
)
