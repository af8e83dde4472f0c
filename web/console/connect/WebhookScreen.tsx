import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { WebhookDelivery, WebhookPage } from '#contract/console/webhooks.ts'
import { CopyText } from '#web/credentials/CopyText.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { CopyDialog } from '../CopyDialog.tsx'
import { Facts, Panel, showTime, Title, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Deliveries } from './Deliveries.tsx'
import { EditWebhook, RemoveWebhook, Replay, RotateSecret, ShowKey, SwitchWebhook } from './WebhookForms.tsx'
import { EndpointChip, eventsText, nameOf } from './WebhooksScreen.tsx'

type Question = { kind: 'edit' | 'switch' | 'rotate' | 'replay' | 'remove' } | { kind: 'key' | 'curl'; text: string }

/** One endpoint: what it gets, how each delivery went, and what staff can do. */
export function WebhookScreen({ id }: { id: string }) {
  const { api } = useConsole()
  const { query } = useAddress()
  const show = toShow(query.get('show'))
  const after = query.get('after') ?? undefined
  const load = () => api.getWebhook({ endpoint_id: id, ...(show ? { show } : {}), ...(after ? { after } : {}) })
  const loaded = useLoaded(`${id} ${query}`, load)
  const [question, setQuestion] = useState<Question>()
  const [outcome, setOutcome] = useState<Outcome>({})
  const { data: endpoint, setData, reload } = loaded
  if (!endpoint) return <Waiting loaded={loaded} />
  const close = () => setQuestion(undefined)
  /** Shows a message together with the changes, which may move it down. */
  const showOutcome = async (outcome: Outcome) => {
    const { search } = location
    const page = await load().catch(() => undefined) // with the filter and page of the address
    if (page && location.search === search) setData(page)
    setOutcome(outcome)
  }
  const done = (message: string) => {
    close()
    void showOutcome({ success: message })
  }
  const ask = (question: Question) => {
    setOutcome({})
    setQuestion(question)
  }
  const sendTest = async () => {
    if (outcome.isTesting) return
    setOutcome({ isTesting: true })
    await showOutcome(
      await api.testWebhook({ endpoint_id: id }).then(
        ({ delivery }) => testResult(delivery),
        (cause: unknown) => ({ failure: errorMessage(cause) }),
      ),
    )
  }
  return (
    <>
      <Title>{nameOf(endpoint)}</Title>
      <div className="screen-head">
        <div>
          <p className="small">
            <Link to="/console/webhooks">Webhooks</Link>
          </p>
          <h1>
            <bdi>{nameOf(endpoint)}</bdi> <EndpointChip endpoint={endpoint} />
          </h1>
          <p className="lead endpoint-url">
            <bdi>{endpoint.url}</bdi>
          </p>
        </div>
      </div>
      <Warning endpoint={endpoint} />
      <div className="member-grid">
        <Deliveries
          page={endpoint}
          show={show}
          after={after}
          pageAt={(show, after) => `/console/webhooks/${id}${toQuery({ show, after })}`}
          isLoading={loaded.isLoading}
          error={loaded.error}
          onReload={reload}
          onCurl={(text) => ask({ kind: 'curl', text })}
        />
        <About endpoint={endpoint} outcome={outcome} onTest={sendTest} onAsk={(kind) => ask({ kind })} />
      </div>
      {question?.kind === 'edit' && <EditWebhook page={endpoint} onClose={close} onDone={() => done('Saved.')} />}
      {question?.kind === 'switch' && (
        <SwitchWebhook
          page={endpoint}
          onClose={close}
          onDone={() => done(endpoint.state === 'on' ? 'The webhook is off.' : 'The webhook is on.')}
        />
      )}
      {question?.kind === 'rotate' && (
        <RotateSecret
          page={endpoint}
          onClose={close}
          onDone={({ key }) => {
            reload()
            setQuestion({ kind: 'key', text: key })
          }}
        />
      )}
      {question?.kind === 'key' && <ShowKey text={question.text} scheme={endpoint.scheme} onClose={close} />}
      {question?.kind === 'curl' && (
        <CopyDialog
          title="Send this request yourself"
          text="The signature is valid for about five minutes. After that, open this again for a new one."
          value={question.text}
          label="Copy the command"
          onClose={close}
        />
      )}
      {question?.kind === 'replay' && (
        <Replay
          page={endpoint}
          onClose={close}
          onDone={(count) =>
            done(count === 1 ? 'We’re sending one event again.' : `We’re sending ${count} events again.`)
          }
        />
      )}
      {question?.kind === 'remove' && (
        <RemoveWebhook page={endpoint} onClose={close} onDone={() => navigate('/console/webhooks')} />
      )}
    </>
  )
}

type Outcome = { isTesting?: boolean; success?: string; failure?: string }

function testResult({ status, took_ms, answer }: WebhookDelivery): Outcome {
  if (!status) return { failure: `The test failed: ${answer}` }
  const time = `status ${status} after ${took_ms?.toLocaleString('en-US')} ms`
  if (status >= 200 && status < 300) return { success: `The test was delivered: ${time}.` }
  return { failure: `The test failed: ${time}. See its details for the response.` }
}

const toShow = (text: string | null) => (text === 'open' || text === 'failed' ? text : undefined)

function Warning({ endpoint }: { endpoint: WebhookPage }) {
  const { session } = useConsole()
  const timeOf = (time: string) => showTime(time, session.time_zone)
  const { state, state_at, failing_since, resume_at } = endpoint
  const isPaused = resume_at && resume_at > new Date().toISOString()
  if (state === 'gone')
    return (
      <Notice tone="alert">
        The receiver responded with 410 on {timeOf(state_at)}, so we turned the webhook off. We keep its events for 90
        days.
      </Notice>
    )
  if (state === 'failing')
    return (
      <Notice tone="alert">
        Every delivery failed for five days, so we turned the webhook off on {timeOf(state_at)}. We keep its events for
        90 days.
      </Notice>
    )
  if (state === 'on' && isPaused) return <Notice>The receiver asked us to wait until {timeOf(resume_at)}.</Notice>
  if (state === 'on' && failing_since)
    return (
      <Notice>
        Every delivery since {timeOf(failing_since)} has failed. After five days, we’ll turn the webhook off.
      </Notice>
    )
  return null
}

type AboutProps = {
  endpoint: WebhookPage
  outcome: Outcome
  onTest: () => void
  onAsk: (kind: 'edit' | 'switch' | 'rotate' | 'replay' | 'remove') => void
}

/** Messages are beside the buttons: on a phone, all deliveries are above them. */
function About({ endpoint, outcome, onTest, onAsk }: AboutProps) {
  const { may, session } = useConsole()
  const message = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (outcome.success || outcome.failure) message.current?.scrollIntoView({ block: 'nearest' })
  }, [outcome])
  const { scheme, types, public_key, previous_until, created_at, state } = endpoint
  const facts: [string, ReactNode][] = [
    ['Events', eventsText(types)],
    ['Signature', scheme === 'hmac' ? 'HMAC-SHA256' : 'Ed25519'],
    ...(previous_until
      ? [
          [
            scheme === 'hmac' ? 'Old secret valid until' : 'Old key valid until',
            showTime(previous_until, session.time_zone),
          ] as [string, string],
        ]
      : []),
    ['Added', showTime(created_at, session.time_zone)],
  ]
  return (
    <Panel title="About">
      <Facts facts={facts} />
      {types.includes(' ') && (
        <ul className="event-list small">
          {types.split(' ').map((type) => (
            <li key={type}>{type}</li>
          ))}
        </ul>
      )}
      {public_key && (
        <div className="public-key">
          <p className="small">Your receiver checks our signatures with this public key:</p>
          <CopyText text={public_key} label="Copy the key" />
        </div>
      )}
      {may('manage_webhooks') && (
        <div className="row-actions endpoint-actions">
          <button type="button" className="button quiet" aria-busy={outcome.isTesting} onClick={onTest}>
            Send a test
          </button>
          <button type="button" className="button quiet" onClick={() => onAsk('edit')}>
            Edit
          </button>
          <button type="button" className="button quiet" onClick={() => onAsk('switch')}>
            {state === 'on' ? 'Turn off' : 'Turn on'}
          </button>
          {state === 'on' && (
            <button type="button" className="button quiet" onClick={() => onAsk('replay')}>
              Send events again
            </button>
          )}
          <button type="button" className="button quiet" onClick={() => onAsk('rotate')}>
            {scheme === 'hmac' ? 'Rotate the secret' : 'Rotate the key'}
          </button>
          <button type="button" className="button quiet danger" onClick={() => onAsk('remove')}>
            Remove
          </button>
        </div>
      )}
      <div ref={message} className="outcome">
        <p role="status" className="small">
          {outcome.isTesting && 'Waiting up to 20 seconds for a response…'}
        </p>
        <SuccessNotice message={outcome.success} />
        <ErrorNotice message={outcome.failure} />
      </div>
    </Panel>
  )
}
