import { useState } from 'react'
import type { AbuseView } from '#contract/console/abuse.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Chip, Panel, ScreenHead, showTime, type Tone, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'
import { AbuseDialog, type AbuseQuestion, breakerTexts, doneText } from './AbuseDialog.tsx'

type Ask = (question: AbuseQuestion) => void

/** What is limited, what is closed, and what can be closed by hand. */
export function AbuseScreen() {
  const { api, may } = useConsole()
  const loaded = useLoaded('abuse', () => api.getAbuse({}))
  const { data, setData } = loaded
  const [question, setQuestion] = useState<AbuseQuestion>()
  const [success, setSuccess] = useState<string>()
  const ask = may('manage_abuse') ? setQuestion : undefined
  const close = () => setQuestion(undefined)
  return (
    <>
      <ScreenHead title="Abuse" lead="Protection against bots and stolen cards, and what you can restrict yourself." />
      <SuccessNotice message={success} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <>
          <Joining pause={data.pause} ask={ask} />
          <div className="member-grid">
            <div className="stack">
              <Breakers {...data} ask={ask} />
              <Blocks blocks={data.blocks} ask={ask} />
            </div>
            <div className="stack">
              <Declines {...data.declines} />
              <History history={data.history} />
            </div>
          </div>
          <Limits limits={data.limits} />
        </>
      )}
      {question && (
        <AbuseDialog
          question={question}
          onClose={close}
          onDone={(view) => {
            setData(view)
            setSuccess(doneText(question))
            close()
          }}
        />
      )}
    </>
  )
}

function Joining({ pause, ask }: { pause: AbuseView['pause']; ask: Ask | undefined }) {
  const { session } = useConsole()
  const timeOf = (time: string) => showTime(time, session.time_zone)
  return (
    <Panel title="Joining" aside={<Chip tone={pause ? 'warn' : 'good'}>{pause ? 'paused' : 'open'}</Chip>}>
      {pause ? (
        <>
          <p>
            Visitors read: “Joining is closed for now. <bdi>{pause.message}</bdi>”
          </p>
          <p className="small">
            Since {timeOf(pause.since)}
            {pause.ends_at ? `, until ${timeOf(pause.ends_at)}` : ', until someone opens it again'}. A payment that was
            sent before ends as always.
          </p>
        </>
      ) : (
        <p className="small">
          Anyone with a link can join. While joining is paused, people can read the pages but can’t use the form.
        </p>
      )}
      {ask && (
        <div className="row-actions">
          {pause && (
            <button type="button" className="button" onClick={() => ask({ kind: 'resume' })}>
              Open joining again
            </button>
          )}
          <button type="button" className="button quiet" onClick={() => ask({ kind: 'pause', pause })}>
            {pause ? 'Change the pause' : 'Pause joining'}
          </button>
        </div>
      )}
    </Panel>
  )
}

const breakerTones: Record<AbuseView['breakers'][number]['state'], Tone> = {
  open: 'warn',
  closed: 'good',
  off: 'plain',
}

function Breakers({ breakers, ask }: Pick<AbuseView, 'breakers'> & { ask: Ask | undefined }) {
  const { session } = useConsole()
  return (
    <Panel title="Extra protection">
      <ul className="rows">
        {breakers.map(({ name, state, open_until, rule }) => (
          <li key={name}>
            <div>
              <p>
                <strong>{breakerTexts[name].title}</strong>{' '}
                <Chip tone={breakerTones[state]}>{stateOf(name, state)}</Chip>
              </p>
              <p className="small">
                {open_until && <>Until {showTime(open_until, session.time_zone)}. </>}
                {breakerTexts[name].effect} {rule}
              </p>
            </div>
            {ask && state !== 'off' && (
              <div className="row-actions">
                {state === 'open' && (
                  <button type="button" className="link" onClick={() => ask({ kind: 'close_breaker', breaker: name })}>
                    Back to normal
                  </button>
                )}
                <button type="button" className="link" onClick={() => ask({ kind: 'open_breaker', breaker: name })}>
                  {state === 'open' ? 'Change end time' : breakerTexts[name].turnOn}
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

type BreakerRow = AbuseView['breakers'][number]
const stateOf = (name: BreakerRow['name'], state: BreakerRow['state']) =>
  ({ open: breakerTexts[name].on, closed: 'normal', off: 'turned off' })[state]

const eventTexts = {
  tripped: 'turned on automatically',
  opened: 'turned on by staff',
  closed: 'set back to normal by staff',
} as const

function History({ history }: Pick<AbuseView, 'history'>) {
  const { session } = useConsole()
  return (
    <Panel title="History of extra protection">
      <ul className="log">
        {history.map(({ breaker, at, kind, open_until }) => (
          <li key={`${breaker} ${at} ${kind}`}>
            <p>
              {breakerTexts[breaker].title}: {eventTexts[kind]}
            </p>
            <p className="small">
              {showTime(at, session.time_zone)}
              {open_until && ` · until ${showTime(open_until, session.time_zone)}`}
            </p>
          </li>
        ))}
      </ul>
      {history.length === 0 && <p className="small">Neither was on in the last 90 days.</p>}
    </Panel>
  )
}

function Blocks({ blocks, ask }: Pick<AbuseView, 'blocks'> & { ask: Ask | undefined }) {
  const { session } = useConsole()
  return (
    <Panel title="Blocked networks">
      <ul className="rows">
        {blocks.map((block) => (
          <li key={block.id}>
            <div>
              <p>
                <code>{block.network}</code>
              </p>
              <p className="small">
                <bdi>{block.note}</bdi> · until {showTime(block.expires_at, session.time_zone)}
              </p>
            </div>
            {ask && (
              <div className="row-actions">
                <button type="button" className="link" onClick={() => ask({ kind: 'lift', block })}>
                  Lift
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {blocks.length === 0 && (
        <p className="small">None. A blocked network can read the pages but can’t use the form.</p>
      )}
      {ask && (
        <button type="button" className="button quiet" onClick={() => ask({ kind: 'block' })}>
          Block a network
        </button>
      )}
    </Panel>
  )
}

const declineTexts = {
  input: 'Mistyped: number, date or CVC',
  card: 'The card: expired, insufficient funds, not allowed',
  bank: 'The bank, without a reason',
  fraud: 'The bank suspects fraud',
} as const

const Declines = ({ classes, is_capped }: AbuseView['declines']) => (
  <Panel title="Declined cards">
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">Why</th>
          <th scope="col">Day</th>
          <th scope="col">Week</th>
        </tr>
      </thead>
      <tbody>
        {classes.map(({ name, day, week }) => (
          <tr key={name}>
            <th scope="row">{declineTexts[name]}</th>
            <td>{day}</td>
            <td>{week}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {is_capped && <p className="small">There are more: only the newest are counted.</p>}
  </Panel>
)

const Limits = ({ limits }: Pick<AbuseView, 'limits'>) => (
  <Panel title="Limits">
    <p className="small">Set in the environment. “Refused” counts the requests over each limit, in all processes.</p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it too */}
    <section className="scroll" aria-label="Limits" tabIndex={0}>
      <table className="table tight stacked">
        <thead>
          <tr>
            <th scope="col">What is limited</th>
            <th scope="col">At most</th>
            <th scope="col">Refused, day</th>
            <th scope="col">Week</th>
          </tr>
        </thead>
        <tbody>
          {limits.map(({ name, text, max, seconds, refused }) => (
            <tr key={name}>
              <th scope="row">
                {text}
                <span className="small setting-name">{name}</span>
              </th>
              <td>
                {max.toLocaleString('en-US')} {per(seconds)}
              </td>
              <td>
                <span className="label">Refused today </span>
                {refused.day}
              </td>
              <td>
                <span className="label">this week </span>
                {refused.week}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </Panel>
)

const spans: [seconds: number, one: string, many: string][] = [
  [86_400, 'a day', 'days'],
  [3600, 'an hour', 'hours'],
  [60, 'a minute', 'minutes'],
  [1, 'a second', 'seconds'],
]

/** 86400 → 'a day', 604800 → 'in 7 days' */
export function per(seconds: number): string {
  const [size = 1, one, many] = spans.find(([size]) => seconds % size === 0) ?? []
  return seconds === size ? `${one}` : `in ${seconds / size} ${many}`
}
