import { useState } from 'react'
import type { WebhookEndpoint } from '#contract/console/webhooks.ts'
import { useConsole } from '../api.ts'
import { Chip, Panel, ScreenHead, showTime, type Tone, Waiting } from '../parts.tsx'
import { Link, navigate } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { AddWebhook, ShowKey } from './WebhookForms.tsx'

/** How other systems hear what happens. */
export function WebhooksScreen() {
  const { api, may } = useConsole()
  const loaded = useLoaded('webhooks', () => api.listWebhooks({}))
  const [isAdding, setAdding] = useState(false)
  const [added, setAdded] = useState<{ id: string; text: string; scheme: WebhookEndpoint['scheme'] }>()
  const { data } = loaded
  return (
    <>
      <ScreenHead title="Webhooks" lead="Tell your other systems what happens: who joined, who paid, who left.">
        {may('manage_webhooks') && (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a webhook
          </button>
        )}
      </ScreenHead>
      {!data ? (
        <Waiting loaded={loaded} />
      ) : data.endpoints.length ? (
        <Panel title={data.endpoints.length === 1 ? 'One webhook' : `${data.endpoints.length} webhooks`}>
          <ul className="rows">
            {data.endpoints.map((endpoint) => (
              <li key={endpoint.id}>
                <EndpointRow endpoint={endpoint} />
              </li>
            ))}
          </ul>
        </Panel>
      ) : (
        <div className="empty">
          <p>
            No webhooks yet. Add the address of a system that should receive events. The guide has a sample receiver to
            start from.
          </p>
        </div>
      )}
      {isAdding && (
        <AddWebhook
          onClose={() => setAdding(false)}
          onDone={({ page, key }) => {
            setAdding(false)
            setAdded({ id: page.id, text: key, scheme: page.scheme })
          }}
        />
      )}
      {added && (
        <ShowKey text={added.text} scheme={added.scheme} onClose={() => navigate(`/console/webhooks/${added.id}`)} />
      )}
    </>
  )
}

export const nameOf = ({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>) =>
  description || new URL(url).host

function EndpointRow({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { session } = useConsole()
  const { id, url, open, last_delivered_at } = endpoint
  return (
    <div>
      <p>
        <Link to={`/console/webhooks/${id}`} className="row-link">
          <bdi>{nameOf(endpoint)}</bdi>
        </Link>{' '}
        <EndpointChip endpoint={endpoint} />
      </p>
      <p className="small">
        <bdi>{url}</bdi>
      </p>
      <p className="small">
        {eventsText(endpoint.types)}
        {open > 0 && ` · ${open} pending`}
        {' · '}
        {last_delivered_at
          ? `last delivered ${showTime(last_delivered_at, session.time_zone)}`
          : 'nothing delivered yet'}
      </p>
    </div>
  )
}

export const eventsText = (types: string) =>
  types ? (types.includes(' ') ? `${types.split(' ').length} event types` : types) : 'All events'

const states: Record<WebhookEndpoint['state'], [text: string, tone: Tone]> = {
  on: ['on', 'good'],
  off: ['off', 'plain'],
  gone: ['off: address gone (410)', 'bad'],
  failing: ['off: failed for five days', 'bad'],
}

export function EndpointChip({ endpoint: { state, failing_since } }: { endpoint: WebhookEndpoint }) {
  if (state === 'on' && failing_since) return <Chip tone="warn">failing</Chip>
  const [text, tone] = states[state]
  return <Chip tone={tone}>{text}</Chip>
}
