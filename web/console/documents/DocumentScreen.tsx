import { useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import type { DocumentPage } from '#contract/console/documents.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Field } from '#web/form/Field.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Chip, Panel, showTime, Title, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Acceptances } from './Acceptances.tsx'
import { DocumentDiff } from './DocumentDiff.tsx'
import { DocumentEditor } from './DocumentEditor.tsx'
import { showCount } from './DocumentsScreen.tsx'

/** A document: its live text, its versions, and the editor. What is open is in the address. */
export function DocumentScreen({ id }: { id: string }) {
  const { api, may } = useConsole()
  const { query } = useAddress()
  const loaded = useLoaded(id, () => api.getDocument({ document_id: Number(id) }))
  const [success, setSuccess] = useState<string>()
  const { data: document, setData } = loaded
  if (!document) return <Waiting loaded={loaded} />
  const base = `/console/documents/${id}`
  const mayPublish = may('publish_documents')
  const isEditing = mayPublish && query.has('edit') && !document.scheduled
  const done = (page: DocumentPage, message: string) => {
    setData(page)
    setSuccess(message)
    navigate(base)
  }
  return (
    <>
      <Title>{document.title}</Title>
      <div className="screen-head">
        <div>
          <p className="small">
            <Link to="/console/documents">Documents</Link>
          </p>
          <h1>
            {document.title} <Chip tone="good">version {document.version}</Chip>
          </h1>
          <p className="lead">
            {document.status !== 'active'
              ? 'Withdrawn: no one is asked to accept it.'
              : document.is_at_checkout
                ? 'Everyone accepts it before they pay.'
                : 'It is not accepted at checkout.'}
          </p>
        </div>
        {mayPublish && !isEditing && !document.scheduled && (
          <div className="screen-actions">
            <StatusButton document={document} onDone={done} />
            <Link to={`${base}?edit=1`} className="button">
              Write a new version
            </Link>
          </div>
        )}
      </div>
      <SuccessNotice message={success} />
      {document.scheduled && (
        <Scheduled document={document} scheduled={document.scheduled} mayPublish={mayPublish} onDone={done} />
      )}
      {isEditing ? (
        <DocumentEditor document={document} onDone={done} onClose={() => navigate(base)} />
      ) : (
        <div className="member-grid">
          <Opened document={document} base={base} />
          <Versions document={document} base={base} />
        </div>
      )}
    </>
  )
}

type Done = (page: DocumentPage, message: string) => void

/** Withdraws a document, or puts it in force again. */
function StatusButton({ document, onDone }: { document: DocumentPage; onDone: Done }) {
  const [isAsking, setAsking] = useState(false)
  const isActive = document.status === 'active'
  const props = { document, onDone, onClose: () => setAsking(false) }
  return (
    <>
      <button
        type="button"
        className={isActive ? 'button quiet danger' : 'button quiet'}
        onClick={() => setAsking(true)}
      >
        {isActive ? 'Withdraw' : 'Put in force again'}
      </button>
      {isAsking && (isActive ? <Withdraw {...props} /> : <Restore {...props} />)}
    </>
  )
}

type StatusProps = { document: DocumentPage; onDone: Done; onClose: () => void }

const { reason } = consoleCalls.withdrawDocument.input.shape

function Withdraw({ document, onDone, onClose }: StatusProps) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: { reason },
    send: async ({ reason }) => {
      onDone(await api.withdrawDocument({ document_id: document.id, reason }), 'It is withdrawn.')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Withdraw ${document.title}?`}
      text="Visitors are no longer asked to accept it. What members accepted is kept, with the text."
      form={form}
      submitLabel="Withdraw"
      onClose={onClose}
    >
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}

function Restore({ document, onDone, onClose }: StatusProps) {
  const { api } = useConsole()
  const send = async () => {
    onDone(await api.restoreDocument({ document_id: document.id }), 'It is in force again.')
    onClose()
  }
  return (
    <ConfirmDialog
      title={`Put ${document.title} in force again?`}
      text={`Version ${document.version} is what everyone who hasn’t paid yet accepts from now on.`}
      submitLabel="Put in force"
      send={send}
      onClose={onClose}
    />
  )
}

type ScheduledProps = {
  document: DocumentPage
  scheduled: NonNullable<DocumentPage['scheduled']>
  mayPublish: boolean
  onDone: Done
}

function Scheduled({ document, scheduled, mayPublish, onDone }: ScheduledProps) {
  const { api, session } = useConsole()
  const [isAsking, setAsking] = useState(false)
  const takeBack = async () =>
    onDone(await api.unscheduleDocument({ document_id: document.id }), 'The scheduled text is taken back.')
  return (
    <Panel
      title={`Live from ${showTime(scheduled.publish_at, session.time_zone)}`}
      aside={<Chip tone="warn">scheduled</Chip>}
    >
      <p className="small">Scheduled by {scheduled.scheduled_by}</p>
      <DocumentDiff before={document} after={scheduled} />
      {mayPublish && (
        <div className="row-actions">
          <button type="button" className="button quiet danger" onClick={() => setAsking(true)}>
            Take it back
          </button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Take the scheduled text back?"
          text={`Version ${document.version} stays live. The text is not kept, so copy what you still need.`}
          submitLabel="Take it back"
          send={takeBack}
          onClose={() => setAsking(false)}
        />
      )}
    </Panel>
  )
}

type SectionProps = { document: DocumentPage; base: string }

/** The live text, the changes of a version, or who accepted one. */
function Opened({ document, base }: SectionProps) {
  const { query } = useAddress()
  const accepted = query.get('accepted')
  const changes = query.get('changes')
  if (accepted) return <Acceptances key={accepted} document_id={document.id} version={Number(accepted)} base={base} />
  if (changes) return <Changes document_id={document.id} version={Number(changes)} base={base} />
  return (
    <Panel title="As visitors read it">
      <LegalText html={document.content} />
    </Panel>
  )
}

function Changes({ document_id, version, base }: { document_id: number; version: number; base: string }) {
  const { api } = useConsole()
  const loaded = useLoaded(`${document_id} ${version}`, () => api.getDocumentVersion({ document_id, version }))
  const { data } = loaded
  const toText = <Link to={base}>Show the live text</Link>
  if (!data || loaded.isLoading)
    return (
      <Panel title={`Version ${version}`} aside={toText}>
        <Waiting loaded={loaded} />
      </Panel>
    )
  return (
    <Panel
      title={data.before ? `Version ${version}, compared with version ${data.before.version}` : `Version ${version}`}
      aside={toText}
    >
      {data.before ? <DocumentDiff before={data.before} after={data} /> : <LegalText html={data.content} />}
    </Panel>
  )
}

function Versions({ document, base }: SectionProps) {
  const { session, may } = useConsole()
  return (
    <Panel title="Versions">
      <ul className="rows">
        {document.versions.map(({ version, title, sha256, published_at, published_by, accepted }) => (
          <li key={version}>
            <div>
              <p>
                <strong>Version {version}</strong> {title !== document.title && title}{' '}
                {version === document.version && <Chip tone="good">live</Chip>}
              </p>
              <p className="small">
                {published_at && showTime(published_at, session.time_zone)}
                {published_by && ` · ${published_by}`} · <code>{sha256.slice(0, 12)}</code>
              </p>
              <p className="small">Accepted by {showCount(accepted)}</p>
            </div>
            <div className="row-actions">
              <Link to={`${base}${toQuery({ changes: String(version) })}`}>
                Text<span className="unseen"> of version {version}</span>
              </Link>
              {accepted.count > 0 && may('see_members') && (
                <Link to={`${base}${toQuery({ accepted: String(version) })}`}>
                  Who<span className="unseen"> accepted version {version}</span>
                </Link>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
