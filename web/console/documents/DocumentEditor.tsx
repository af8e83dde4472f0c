import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { DocumentPage } from '#contract/console/documents.ts'
import { plainDay } from '#contract/days.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Field } from '#web/form/Field.tsx'
import { CallForm } from '#web/ui/CallForm.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { type Api, useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'
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
  const [round, setRound] = useState(0)
  const enterText = (content: string) => {
    setDraft((last) => ({ ...last, content }))
    setRound(round + 1)
  }
  const form = useEditForm({
    rules,
    page: document,
    shownOf,
    load: async () => document && api.getDocument({ document_id: document.id }),
    save: ({ publish_on, ...text }, version) =>
      document
        ? api.publishDocument({
            document_id: document.id,
            version: Number(version),
            ...text,
            ...(publish_on ? { publish_on } : {}),
          })
        : api.addDocument(text),
    onSaved: (page, { publish_on }) => page && onDone(page, doneText(page, publish_on ?? '')),
    draftName: `document ${document?.id ?? 'new'}`,
    staysAt: ({ pathname, searchParams }) =>
      document
        ? pathname === `/console/documents/${document.id}` && searchParams.has('edit')
        : pathname === '/console/documents/new',
    enter: { content: enterText },
    labels: { title: 'Title', content: 'Text' },
    compare: ({ name, theirs, yours }) =>
      name === 'content' && (
        <DocumentDiff before={{ title: '', content: theirs }} after={{ title: '', content: yours }} />
      ),
  })
  const { latest: live, initial } = form
  const [draft, setDraft] = useState({ title: initial.title ?? '', content: initial.content ?? '' })
  const [day, setDay] = useState(initial.publish_on ?? '')
  const next = (live?.version ?? 0) + 1
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
          {form.restored}
          <Field
            {...form.field('title')}
            label="Title"
            autoComplete="off"
            onChange={({ target }) => setDraft((last) => ({ ...last, title: target.value }))}
          />
          <DocumentText
            key={round}
            {...form.field('content')}
            defaultValue={draft.content}
            onChange={(content) => setDraft((last) => ({ ...last, content }))}
          />
          {document && (
            <Field
              {...form.field('publish_on')}
              label="Publish on"
              optional
              hint={`Immediately if empty. Otherwise when that day begins in ${session.time_zone.replaceAll('_', ' ')}.`}
              type="date"
              onChange={({ target }) => setDay(target.value)}
            />
          )}
          <p className="small">
            Visitors who are about to pay are asked to read the new text first. Members keep what they accepted.
          </p>
          {form.questions}
        </CallForm>
      </section>
      <Result live={live} draft={draft} />
    </div>
  )
}

const shownOf = (page: DocumentPage | undefined) => ({
  version: String(page?.version ?? 0),
  values: { title: page?.title ?? '', content: page?.content ?? '' },
})

const doneText = ({ version }: DocumentPage, publish_on: string) => {
  if (publish_on) return `It goes live on ${plainDay(publish_on)}.`
  return version === 1 ? 'The document is live.' : `Version ${version} is live.`
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
