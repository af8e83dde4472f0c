import type { WebhookDelivery, WebhookPage } from '#contract/console/webhooks.ts'
import { useConsole } from '../api.ts'
import { Chip, Panel, showTime, type Tone } from '../parts.tsx'
import { Link } from '../router.tsx'

type Show = 'open' | 'failed' | undefined

type DeliveriesProps = {
  page: WebhookPage
  show: Show
  after: string | undefined
  pageAt: (show: Show, after?: string) => string
  isLoading: boolean
  onReload: () => void
  onResend: (id: string) => void
  onCurl: (id: string) => void
}

const filters: [show: Show, text: string][] = [
  [undefined, 'All'],
  ['open', 'On their way'],
  ['failed', 'Failed'],
]

/** How each delivery went, newest first. */
export function Deliveries({ page, show, after, pageAt, isLoading, onReload, ...actions }: DeliveriesProps) {
  const { deliveries, next } = page
  return (
    <Panel
      title="Deliveries"
      aside={
        <button type="button" className="link" onClick={onReload}>
          Reload
        </button>
      }
    >
      <nav className="tabs" aria-label="Which deliveries">
        {filters.map(([each, text]) => (
          <Link key={text} to={pageAt(each)} className="tab" isCurrent={each === show}>
            {text}
          </Link>
        ))}
      </nav>
      <div aria-busy={isLoading || undefined}>
        <ul className="rows">
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryRow delivery={delivery} isOn={page.state === 'on'} {...actions} />
            </li>
          ))}
        </ul>
        {deliveries.length === 0 && (
          <p className="small">
            {show ? 'None.' : 'Nothing has happened since this webhook was added. Send a test to see how it answers.'}
          </p>
        )}
        {(after || next) && (
          <div className="pages">
            {after && (
              <Link to={pageAt(show)} className="button quiet">
                Newest
              </Link>
            )}
            {next && (
              <Link to={pageAt(show, next)} className="button quiet">
                Older
              </Link>
            )}
          </div>
        )}
      </div>
    </Panel>
  )
}

type RowProps = Pick<DeliveriesProps, 'onResend' | 'onCurl'> & { delivery: WebhookDelivery; isOn: boolean }

function DeliveryRow({ delivery, isOn, onResend, onCurl }: RowProps) {
  const { session, may } = useConsole()
  const { id, type, member_id, happened_at, status, took_ms, tries, answer, state, event_id } = delivery
  const timeOf = (time: string) => showTime(time, session.time_zone)
  const [text, tone] = stateOf(delivery, timeOf)
  const isOver = state === 'delivered' || state === 'failed'
  const name = `${type}, ${timeOf(happened_at)}`
  return (
    <>
      <div>
        <p>
          <code>{type}</code> <Chip tone={tone}>{text}</Chip>
        </p>
        <p className="small">
          {timeOf(happened_at)}
          {member_id && (
            <>
              {' · '}
              <Link to={`/console/members/${member_id}`}>
                member<span className="unseen"> of {name}</span>
              </Link>
            </>
          )}
        </p>
        {tries > 0 && (
          <p className="small">
            {status ? `Status ${status}` : 'No answer'}
            {took_ms !== undefined && ` after ${took_ms.toLocaleString('en-US')} ms`}
            {tries > 1 && `, try ${tries} of 10`}
          </p>
        )}
        <details className="answer">
          <summary>
            Details<span className="unseen"> of {name}</span>
          </summary>
          <p className="small">
            Id <code>{event_id}</code>
          </p>
          {tries > 0 && <p className="small">{answer ? 'It answered:' : 'The answer was empty.'}</p>}
          {answer && <pre>{answer}</pre>}
        </details>
      </div>
      {may('manage_webhooks') && (
        <div className="row-actions">
          {isOver && isOn && type !== 'webhook.test' && (
            <button type="button" className="link" onClick={() => onResend(id)}>
              Send again<span className="unseen"> {name}</span>
            </button>
          )}
          <button type="button" className="link" onClick={() => onCurl(id)}>
            curl<span className="unseen"> for {name}</span>
          </button>
        </div>
      )}
    </>
  )
}

function stateOf({ state, tries, next_at }: WebhookDelivery, timeOf: (time: string) => string): [string, Tone] {
  if (state === 'delivered') return ['delivered', 'good']
  if (state === 'failed') return ['failed', 'bad']
  if (state === 'waiting') return ['waiting for an earlier event', 'plain']
  return tries && next_at ? [`next try ${timeOf(next_at)}`, 'warn'] : ['on its way', 'plain']
}
