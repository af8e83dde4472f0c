import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { DocumentPage } from '#contract/console/documents.ts'
import { plainDay } from '#contract/days.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Field } from '#web/form/Field.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { type Api, useConsole } from '../api.ts'
import { Panel } from '../parts.tsx'
import { DocumentDiff } from './DocumentDiff.tsx'
import { DocumentText } from './DocumentText.tsx'

type EditorProps = {
  /** What is live. None for a new document. */
  document?: DocumentPage
  onDone: (page: DocumentPage, message: string) => void
  onClose: () => void
}

const { title, content, publish_on } = consoleCalls.publishDocument.input.shape
/** A field that is left empty is ''. */
const rules = { title, content, publish_on: z.union([z.literal(''), publish_on], 'Please enter a day.') }

/** The text on one side; on the other what visitors will read, or what is new in it. */
export function DocumentEditor({ document, onDone, onClose }: EditorProps) {
  const { api, session } = useConsole()
  const live = { title: document?.title ?? '', content: document?.content ?? '' }
  const [draft, setDraft] = useState(live)
  const [day, setDay] = useState('')
  const next = (document?.version ?? 0) + 1
  useLeaveWarning(draft.content !== live.content || draft.title !== live.title)
  const form = useCallForm({
    rules,
    values: live,
    send: async ({ publish_on, ...text }) => {
      if (!document) return onDone(await api.addDocument(text), 'The document is live.')
      const page = await api.publishDocument({
        document_id: document.id,
        version: document.version,
        ...text,
        ...(publish_on ? { publish_on } : {}),
      })
      onDone(page, publish_on ? `It becomes live on ${plainDay(publish_on)}.` : `Version ${page.version} is live.`)
    },
  })
  return (
    <div className="editor">
      <section className="card panel">
        <CallForm
          form={form}
          submitLabel={day ? `Schedule for ${plainDay(day)}` : `Publish version ${next} now`}
          secondaryAction={
            <button type="button" className="button quiet" onClick={onClose} disabled={form.busy}>
              Cancel
            </button>
          }
        >
          <Field
            {...form.field('title')}
            label="Title"
            autoComplete="off"
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
          <DocumentText {...form.field('content')} onChange={(content) => setDraft({ ...draft, content })} />
          {document && (
            <Field
              {...form.field('publish_on')}
              label="Publish on"
              optional
              hint={`Empty: immediately. Otherwise when that day begins in ${session.time_zone.replaceAll('_', ' ')}.`}
              type="date"
              onChange={({ target }) => setDay(target.value)}
            />
          )}
          <p className="small">
            Visitors who are about to pay are asked to read the new text first. Members keep what they accepted.
          </p>
        </CallForm>
      </section>
      <Result live={document} draft={draft} />
    </div>
  )
}

/** Closing the tab would lose the text. */
function useLeaveWarning(isChanged: boolean) {
  useEffect(() => {
    if (!isChanged) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged])
}

type Draft = { title: string; content: string }

function Result({ live, draft }: { live: Draft | undefined; draft: Draft }) {
  const { api } = useConsole()
  const [isDiff, setDiff] = useState(false)
  const { content, problem } = useStoredText(api, draft.content, live?.content ?? '')
  return (
    <Panel title="As visitors will read it">
      {live && (
        <fieldset className="tabs">
          <legend className="unseen">Show</legend>
          {[false, true].map((value) => (
            <button
              key={String(value)}
              type="button"
              className="tab"
              aria-pressed={isDiff === value}
              onClick={() => setDiff(value)}
            >
              {value ? 'Changes' : 'Preview'}
            </button>
          ))}
        </fieldset>
      )}
      {problem && <p className="small">{problem}</p>}
      {live && isDiff ? <DocumentDiff before={live} after={{ ...draft, content }} /> : <LegalText html={content} />}
    </Panel>
  )
}

const PAUSE_MS = 300

/** The text as the server would store it, a moment after the last keystroke: exactly what visitors would get. */
function useStoredText(api: Api, html: string, initial: string): { content: string; problem?: string } {
  const [stored, setStored] = useState<{ content: string; problem?: string }>({ content: initial })
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => {
      if (!html.trim()) return setStored({ content: '' })
      api.previewDocument({ content: html }).then(
        ({ content }) => isCurrent && setStored({ content }),
        (cause: unknown) => isCurrent && setStored((last) => ({ ...last, problem: errorMessage(cause) })),
      )
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [api, html])
  return stored
}
