import { useEffect, useRef, useState } from 'react'
import { type CurrentImport, type ImportView, importColumns } from '#contract/console/import.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { Field } from '#web/form/Field.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel, ScreenHead, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Problems } from './Problems.tsx'
import { piecesOf } from './pieces.ts'

const POLL_MS = 1000
const countText = (count: number, noun: string) => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** Members of another system: choose the file, see what is wrong with it, and import it. */
export function ImportScreen() {
  const { api } = useConsole()
  const loaded = useLoaded('import', () => api.getImport({}))
  const { data, setData } = loaded
  const [share, setShare] = useState<number>()
  const [error, setError] = useState<string>()
  const [success, setSuccess] = useState<string>()
  const current = data?.import
  const isMoving = current?.state === 'checking' || current?.state === 'writing'
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => api.getImport({}).then(setData, () => undefined), POLL_MS)
    return () => clearInterval(timer)
  }, [isMoving, api, setData])
  const run = (change: () => Promise<CurrentImport>, done?: string) => {
    setError(undefined)
    setSuccess(undefined)
    return change().then(
      (next) => {
        setData(next)
        setSuccess(done)
      },
      (cause: unknown) => setError(errorMessage(cause)),
    )
  }
  const upload = (file: File, connection: string) =>
    run(async () => {
      try {
        const begun = await api.beginImport({ connection })
        const import_id = begun.import?.id ?? ''
        for await (const { share, ...piece } of piecesOf(file)) {
          setShare(share)
          await api.addImportLines({ import_id, ...piece })
        }
        return await api.checkImport({ import_id })
      } finally {
        setShare(undefined)
      }
    })
  return (
    <>
      <ScreenHead
        title="Import members"
        lead="Bring members over from another system. They keep their sponsor, price and renewal day."
      />
      <SuccessNotice message={success} />
      <ErrorNotice message={error} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : share !== undefined ? (
        <Progress title="Reading the file" percent={Math.floor(share * 100)}>
          Please keep this page open.
        </Progress>
      ) : current && ['checking', 'checked', 'writing'].includes(current.state) ? (
        <Current view={current} run={run} />
      ) : (
        <>
          {current && current.state !== 'reading' && <Result view={current} />}
          <ChooseFile onChoose={upload} />
          {data.may_invite && (
            <Panel title="Passwords">
              <p>Some imported members haven’t been emailed a link to set a password.</p>
              <div className="row-actions">
                <button
                  type="button"
                  className="button quiet"
                  onClick={() => run(() => api.inviteImported({}), 'The emails are on their way.')}
                >
                  Email them a link
                </button>
              </div>
            </Panel>
          )}
        </>
      )}
    </>
  )
}

type Run = (change: () => Promise<CurrentImport>, done?: string) => Promise<void>

function ChooseFile({ onChoose }: { onChoose: (file: File, connection: string) => void }) {
  const file = useRef<HTMLInputElement>(null)
  const name = useRef<HTMLDivElement>(null)
  const connection = () => name.current?.querySelector('input')?.value.trim() || 'import'
  return (
    <Panel title="Choose a file">
      <p>
        Use a comma-separated CSV file in UTF-8, with column names in the first line. Nothing is imported until you’ve
        seen the result of the check, and card numbers are never imported.
      </p>
      <div ref={name} className="connection">
        <Field
          name="connection"
          label="Name of the old system"
          hint="For its ids. Use the same name for every file from it."
          defaultValue="import"
          maxLength={30}
          autoCapitalize="none"
        />
      </div>
      <input
        ref={file}
        type="file"
        name="members"
        accept=".csv,text/csv"
        hidden
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          target.value = '' // the same file can be chosen again
          if (chosen) onChoose(chosen, connection())
        }}
      />
      <div className="row-actions">
        <button type="button" className="button" onClick={() => file.current?.click()}>
          Choose a file
        </button>
      </div>
      <details className="columns">
        <summary>The columns</summary>
        <Facts facts={Object.entries(importColumns).map(([column, text]) => [column, text || '–'])} />
      </details>
    </Panel>
  )
}

function Current({ view, run }: { view: ImportView; run: Run }) {
  const { api } = useConsole()
  const import_id = view.id
  const form = useRef<HTMLFormElement>(null)
  const discard = () => run(() => api.discardImport({ import_id }))
  if (view.state === 'checking')
    return (
      <Progress title="Checking the file" percent={view.percent}>
        {countText(view.lines, 'line')}. You can leave this page and come back.
      </Progress>
    )
  if (view.state === 'writing')
    return (
      <Progress title="Importing" percent={view.percent}>
        {countText(view.added, 'member')} so far. You can leave this page and come back.{' '}
        <button type="button" className="link danger" onClick={discard}>
          Stop
        </button>
      </Progress>
    )
  const fresh = view.lines - view.existing
  if (view.problems)
    return (
      <>
        <Notice tone="alert" role="alert" title={`${countText(view.problems, 'problem')} in this file`}>
          <p>Nothing was imported. Correct the file, and choose it again.</p>
        </Notice>
        <Problems import_id={import_id} />
        <div className="row-actions">
          <button type="button" className="button" onClick={discard}>
            Choose another file
          </button>
        </div>
      </>
    )
  return (
    <Panel title="The file is fine">
      <Facts
        facts={[
          ['To import', countText(fresh, 'member')],
          ['Already here, unchanged', countText(view.existing, 'member')],
        ]}
      />
      <form ref={form}>
        {fresh > 0 && (
          <Checkbox name="is_inviting" defaultValue="0" error={undefined}>
            <label htmlFor="is_inviting">Email them a link to set a password</label>
          </Checkbox>
        )}
      </form>
      <div className="row-actions">
        {fresh > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => {
              const is_inviting = Boolean(form.current && new FormData(form.current).has('is_inviting'))
              void run(() => api.startImport({ import_id, is_inviting }))
            }}
          >
            Import {countText(fresh, 'member')}
          </button>
        )}
        <button type="button" className="button quiet" onClick={discard}>
          {fresh > 0 ? 'Discard' : 'Choose another file'}
        </button>
      </div>
    </Panel>
  )
}

type ProgressProps = { title: string; percent: number; children: React.ReactNode }

const Progress = ({ title, percent, children }: ProgressProps) => (
  <Panel title={title} aside={<span role="status">{percent} %</span>}>
    <progress className="import-progress" max={100} value={percent} aria-label={title} />
    <p>{children}</p>
  </Panel>
)

function Result({ view }: { view: ImportView }) {
  const { state, added, problems, id } = view
  return (
    <>
      <Notice role="status" title={state === 'done' ? 'The import is done.' : 'The import was stopped.'}>
        <p>
          {countText(added, 'member')} imported
          {problems > 0 && `, ${countText(problems, 'line')} skipped`}.
        </p>
      </Notice>
      {problems > 0 && <Problems import_id={id} />}
    </>
  )
}
