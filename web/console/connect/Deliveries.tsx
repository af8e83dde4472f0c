import { useEffect, useRef, useState } from 'react'
import type { WebhookDelivery, WebhookPage } from '#contract/console/webhooks.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
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
  error: string | undefined
  onReload: () => void
  onCurl: (text: string) => void
}

const filters: [show: Show, text: string][] = [
  [undefined, 'All'],
  ['open', 'Pending'],
  ['failed', 'Failed'],
]

/** How each delivery went, newest first. */
export function Deliveries({ page, show, after, pageAt, isLoading, error, ...actions }: DeliveriesProps) {
  const { deliveries, next } = page
  return (
    <Panel
      title="Deliveries"
      aside={
        <button type="button" className="link" onClick={actions.onReload}>
          Reload
        </button>
      }
    >
      <nav className="tabs" aria-label="Filter deliveries">
        {filters.map(([each, text]) => (
          <Link key={text} to={pageAt(each)} className="tab" isCurrent={each === show}>
            {text}
          </Link>
        ))}
      </nav>
      <ErrorNotice message={error} />
      <div aria-busy={isLoading || undefined}>
        <ul className="rows">
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryRow delivery={delivery} isOn={page.state === 'on'} {...actions} />
            </li>
          ))}
        </ul>
        {deliveries.length === 0 && <p className="small">{emptyText(show, after)}</p>}
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

function emptyText(show: Show, after: string | undefined): string {
  if (show === 'open') return 'No pending deliveries.'
  if (show === 'failed') return 'No failed deliveries.'
  if (after) return 'No older deliveries.'
  return 'There have been no events since this webhook was added. Send a test to see how it responds.'
}

type RowProps = Pick<DeliveriesProps, 'onReload' | 'onCurl'> & { delivery: WebhookDelivery; isOn: boolean }

function DeliveryRow({ delivery, isOn, onReload, onCurl }: RowProps) {
  const { api, session, may } = useConsole()
  const [sent, setSent] = useState<{ after: string | undefined }>()
  const [error, setError] = useState<string>()
  const summary = useRef<HTMLElement>(null)
  const { id, type, member_id, happened_at, status, took_ms, tries, answer, state, event_id } = delivery
  const timeOf = (time: string) => showTime(time, session.time_zone)
  const [text, tone] = stateOf(delivery, timeOf)
  const isOver = state === 'delivered' || state === 'failed'
  const name = `${type}, ${timeOf(happened_at)}`
  const run = (work: () => Promise<void>) => {
    setError(undefined)
    work().catch((cause: unknown) => setError(errorMessage(cause)))
  }
  const resend = () =>
    run(async () => {
      await api.resendWebhook({ delivery_id: id })
      setSent({ after: delivery.tried_at })
      onReload()
    })
  const isSent = sent && !(isOver && delivery.tried_at === sent.after)
  useEffect(() => {
    if (isSent && document.activeElement === document.body) summary.current?.focus() // the button that was pressed is gone
  }, [isSent])
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
            {status ? `Status ${status}` : 'No response'}
            {took_ms !== undefined && ` after ${took_ms.toLocaleString('en-US')} ms`}
            {tries > 1 && `, try ${tries} of 10`}
          </p>
        )}
        <details className="answer">
          <summary ref={summary}>
            Details<span className="unseen"> of {name}</span>
          </summary>
          <p className="small">
            Id <code>{event_id}</code>
          </p>
          {tries > 0 && <p className="small">{answerText(delivery)}</p>}
          {answer && <pre>{answer}</pre>}
        </details>
        <SuccessNotice message={isSent ? sentText(state) : undefined} />
        <ErrorNotice message={error} />
      </div>
      {may('manage_webhooks') && (
        <div className="row-actions">
          {isOver && isOn && type !== 'webhook.test' && (
            <button type="button" className="link" onClick={resend}>
              Send again<span className="unseen"> {name}</span>
            </button>
          )}
          <button
            type="button"
            className="link"
            onClick={() => run(async () => onCurl((await api.getWebhookCurl({ delivery_id: id })).curl))}
          >
            curl<span className="unseen"> for {name}</span>
          </button>
        </div>
      )}
    </>
  )
}

function answerText({ status, answer }: WebhookDelivery): string {
  if (!status) return 'No response:'
  return answer ? 'Response:' : 'The response was empty.'
}

function sentText(state: WebhookDelivery['state']): string | undefined {
  if (state === 'failed') return undefined
  return state === 'delivered' ? 'The event was delivered again.' : 'We’re sending the event again.'
}

function stateOf({ state, tries, next_at }: WebhookDelivery, timeOf: (time: string) => string): [string, Tone] {
  if (state === 'delivered') return ['delivered', 'good']
  if (state === 'failed') return ['failed', 'bad']
  if (state === 'waiting') return ['waiting for an earlier event', 'plain']
  return tries && next_at ? [`next try ${timeOf(next_at)}`, 'warn'] : ['sending', 'plain']
}
