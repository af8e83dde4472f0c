import { clockIn, longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { ClockEvent, ClockMembership, ClockPage, TestPage } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { AccountIcon } from '#web/icons.tsx'
import { TestPages } from './TestPages.tsx'

/** Advances the clock, and tells what happened meanwhile. */
export function Clock({ clock, testPages }: { clock: ClockPage; testPages: TestPage[] }) {
  const { memberships, events, turned_from } = clock
  const isNew = (event: ClockPage['events'][number]) => event.is_new
  return (
    <div className="page">
      <Header />
      <main className="prose">
        <TestPages current="clock" testPages={testPages} />
        <h1>Test clock</h1>
        <p className="lead">
          See a year of membership in a minute. Everything that is due on the way happens: charges, retries and emails.
        </p>
        <Controls clock={clock} />
        {turned_from && (
          <section className="clock-part">
            <h2>What happened since {longDay(turned_from)}</h2>
            <Summary events={events.filter(isNew)} />
            <Diary events={events.filter(isNew)} />
          </section>
        )}
        {memberships.length ? <Memberships memberships={memberships} /> : <NoMembers />}
        {events.some((event) => !event.is_new) && (
          <section className="clock-part">
            <h2>{turned_from ? 'Earlier' : 'What happened so far'}</h2>
            <Diary events={events.filter((event) => !isNew(event))} />
          </section>
        )}
      </main>
    </div>
  )
}

const moves = [
  { move: 'day', name: 'A day' },
  { move: 'week', name: 'A week' },
  { move: 'month', name: 'A month' },
]

const Controls = ({ clock: { now, today, time_zone, days_ahead, next_renewal } }: { clock: ClockPage }) => (
  <section className="entry clock-face">
    <p className="hint">It is now</p>
    <p className="clock-now">
      <time dateTime={now}>{longDay(today)}</time>
    </p>
    <p className="hint">
      {clockIn(time_zone, new Date(now))}, {days_ahead ? `${plural(days_ahead, 'day')} ahead of` : 'the time of'} this
      computer
    </p>
    <form className="review-actions" method="post" action="/__clock/turn">
      <button className="button" type="submit" name="move" value="renewal" disabled={!next_renewal}>
        To the next renewal
      </button>
      {moves.map(({ move, name }) => (
        <button key={move} className="button quiet" type="submit" name="move" value={move}>
          {name}
          <span className="unseen"> forward</span>
        </button>
      ))}
    </form>
    <p className="hint">
      {next_renewal ? `The next one is on ${longDay(next_renewal)}.` : 'No membership renews at the moment.'} The clock
      only goes forward. You stay signed in.
    </p>
  </section>
)

const NoMembers = () => (
  <div className="empty-state">
    <AccountIcon />
    <p>
      No members yet. <a href="/">Join as a test member</a>, then advance the clock.
    </p>
  </div>
)

function Summary({ events }: { events: ClockEvent[] }) {
  const count = (kind: ClockEvent['kind']) => events.filter((event) => event.kind === kind).length
  const emails = events.reduce((sum, event) => sum + event.emails.length, 0)
  if (!events.length) return <p>Nothing was due.</p>
  const parts = [plural(count('charged'), 'charge'), plural(count('declined'), 'decline'), plural(emails, 'email')]
  return <p>{parts.join(', ')}.</p>
}

/** The events by day, newest day first. */
function Diary({ events }: { events: ClockEvent[] }) {
  const days = [...new Set(events.map(({ day }) => day))]
  return (
    <ol className="diary">
      {days.map((day) => (
        <li key={day}>
          <h3>
            <time dateTime={day}>{longDay(day)}</time>
          </h3>
          <ul>
            {events
              .filter((event) => event.day === day)
              .map((event) => (
                <Event key={`${event.kind} ${event.username} ${event.emails[0]}`} event={event} />
              ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}

type Wording = { tone: string; chip: string; text: (event: ClockEvent) => string }
const price = ({ amount, card }: ClockEvent) => `${showAmount(amount)}${card ? ` (${card})` : ''}`

const wordings: Record<ClockEvent['kind'], Wording> = {
  joined: { tone: '', chip: 'Joined', text: (event) => `${event.username} joined and paid ${price(event)}` },
  charged: {
    tone: '',
    chip: 'Charged',
    text: ({ username, amount, card }) => `charged ${showAmount(amount)} to ${username}${card ? ` (${card})` : ''}`,
  },
  declined: {
    tone: 'warm',
    chip: 'Declined',
    text: (event) => `the bank declined ${price(event)} for ${event.username}`,
  },
  unanswered: {
    tone: 'warm',
    chip: 'No answer',
    text: (event) => `no final answer from the bank about ${price(event)} for ${event.username}; it is asked again`,
  },
  canceled: { tone: 'dim', chip: 'Canceled', text: ({ username }) => `${username} canceled` },
  ended: { tone: 'dim', chip: 'Ended', text: ({ username }) => `the membership of ${username} ended` },
  email: { tone: 'dim', chip: 'Email', text: ({ username, subject }) => `“${subject}” to ${username}` },
}

function Event({ event }: { event: ClockEvent }) {
  const { tone, chip, text } = wordings[event.kind]
  return (
    <li className="diary-event">
      <span className={`chip ${tone}`}>{chip}</span>
      <span>
        {text(event)}
        <Emails event={event} />
      </span>
    </li>
  )
}

function Emails({ event: { kind, emails } }: { event: ClockEvent }) {
  const [first, ...others] = emails
  if (!first) return null
  const what = kind === 'charged' ? 'receipt' : 'email'
  if (kind === 'email')
    return (
      <>
        {' '}
        (<a href={`/__outbox/${first}`}>read</a>)
      </>
    )
  return (
    <>
      ,{' '}
      <a href={others.length ? '/__outbox' : `/__outbox/${first}`}>
        {others.length ? plural(emails.length, 'email') : what} sent
      </a>
    </>
  )
}

const states: Record<ClockMembership['state'], { name: string; tone: string; next: string }> = {
  active: { name: 'Active', tone: '', next: 'renews on' },
  past_due: { name: 'Past due', tone: 'warm', next: 'tried again or ended on' },
  canceled: { name: 'Canceled', tone: 'dim', next: 'ends on' },
  on_hold: { name: 'On hold', tone: 'warm', next: 'checked on' },
  ended: { name: 'Ended', tone: 'dim', next: '' },
}

const Memberships = ({ memberships }: Pick<ClockPage, 'memberships'>) => (
  <section className="clock-part">
    <h2>Memberships now</h2>
    <ul className="memberships">
      {memberships.map(({ username, state, amount, interval, next_day }) => (
        <li key={username} className="diary-event">
          <span className={`chip ${states[state].tone}`}>{states[state].name}</span>
          <span>
            <strong>{username}</strong>, {showAmount(amount)} a {interval}
            {next_day && `, ${states[state].next} ${longDay(next_day)}`}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
