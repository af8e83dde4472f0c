import { type ReactNode, useEffect, useRef, useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import { type CurrentImport, type ImportView, importColumns, requiredImportColumns } from '#contract/console/import.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { Field, focusField } from '#web/form/Field.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { ConfirmDialog } from '#web/ui/FormDialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel, ScreenHead, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Problems } from './Problems.tsx'
import { BadFile, piecesOf } from './pieces.ts'

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
  const [connection, setConnection] = useState<string>()
  const [isInviting, setInviting] = useState(false)
  const current = data?.import
  const isMoving = current?.state === 'checking' || current?.state === 'writing'
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => api.getImport({}).then(setData, () => undefined), POLL_MS)
    return () => clearInterval(timer)
  }, [isMoving, api, setData])
  const stage = useStageFocus(share === undefined ? current?.state : 'reading')
  const run = (change: () => Promise<CurrentImport>) => {
    setError(undefined)
    setSuccess(undefined)
    return change().then(setData, (cause: unknown) =>
      setError(cause instanceof BadFile ? cause.message : errorMessage(cause)),
    )
  }
  const upload = (file: File, connection: string) =>
    run(async () => {
      setConnection(connection) // for the next file, even if this one is refused
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
      <div ref={stage} className="stack">
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
            <ChooseFile connection={connection ?? current?.connection ?? 'import'} onChoose={upload} />
            {data.may_invite && (
              <Panel title="Passwords">
                <p>Some imported members haven’t been emailed a link to set a password.</p>
                <div className="row-actions">
                  <button type="button" className="button quiet" onClick={() => setInviting(true)}>
                    Email them a link
                  </button>
                </div>
              </Panel>
            )}
          </>
        )}
      </div>
      {isInviting && (
        <ConfirmDialog
          title="Email them a link?"
          text="Every imported member who hasn’t had one gets an email with a link to set a password."
          submitLabel="Email them"
          send={async () => {
            setData(await api.inviteImported({}))
            setSuccess('The emails are on their way.')
            setInviting(false)
          }}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  )
}

/** The focused element disappears with its stage, so the next stage's heading gets the focus. */
function useStageFocus(stage: string | undefined) {
  const ref = useRef<HTMLDivElement>(null)
  const last = useRef(stage)
  useEffect(() => {
    const isFirst = last.current === undefined
    last.current = stage
    if (isFirst || document.activeElement !== document.body) return
    const heading = ref.current?.querySelector<HTMLElement>('h2, strong')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus()
  }, [stage])
  return ref
}

type Run = (change: () => Promise<CurrentImport>) => Promise<void>
type ChooseProps = { connection: string; onChoose: (file: File, connection: string) => void }

function ChooseFile({ connection, onChoose }: ChooseProps) {
  const file = useRef<HTMLInputElement>(null)
  const name = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<string>()
  /** Undefined if it's invalid; the field then says why. */
  const readName = () => {
    const text = name.current?.querySelector('input')?.value.trim() ?? ''
    const { success, error } = consoleCalls.beginImport.input.shape.connection.safeParse(text)
    setError(error?.issues[0]?.message)
    if (success) return text
    focusField('connection')
    return undefined
  }
  return (
    <Panel title="Choose a file">
      <p>
        Use a comma-separated CSV file in UTF-8, with column names in the first line. We check the file and show you the
        result before we import anything. We never import card numbers.
      </p>
      <div ref={name} className="connection">
        <Field
          name="connection"
          label="Name of the old system"
          hint="Lowercase letters, digits and hyphens. Use the same name for every file from that system."
          defaultValue={connection}
          error={error}
          autoComplete="off"
          spellCheck={false}
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
          const connection = readName()
          if (chosen && connection) onChoose(chosen, connection)
        }}
      />
      <div className="row-actions">
        <button type="button" className="button" onClick={() => readName() && file.current?.click()}>
          Choose a file
        </button>
      </div>
      <details className="columns">
        <summary>Columns</summary>
        <Facts facts={columnFacts} />
      </details>
    </Panel>
  )
}

const columnFacts = Object.entries(importColumns).map(([column, text]): [string, string] => {
  const isRequired = (requiredImportColumns as readonly string[]).includes(column)
  return [column, [isRequired && 'required', text].filter(Boolean).join(': ') || '–']
})

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
      <Progress
        title="Importing"
        percent={view.percent}
        action={
          <button type="button" className="button quiet danger" onClick={discard}>
            Stop the import
          </button>
        }
      >
        {countText(view.added, 'member')} so far. You can leave this page and come back.
      </Progress>
    )
  const fresh = view.lines - view.existing
  if (view.problems)
    return (
      <>
        <Notice tone="alert" role="alert" title={`${countText(view.problems, 'problem')} in this file`}>
          <p>Nothing was imported. Fix the file and choose it again.</p>
        </Notice>
        <div className="row-actions">
          <button type="button" className="button" onClick={discard}>
            Choose another file
          </button>
        </div>
        <Problems import_id={import_id} />
      </>
    )
  return (
    <Panel title="No problems found">
      <Facts
        facts={[
          ['To import', countText(fresh, 'member')],
          ['Already here, unchanged', countText(view.existing, 'member')],
        ]}
      />
      {fresh === 0 && <p>There’s nothing new to import.</p>}
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

type ProgressProps = { title: string; percent: number; action?: ReactNode; children: ReactNode }

/** Screen readers hear each quarter, not each percent. */
const Progress = ({ title, percent, action, children }: ProgressProps) => (
  <Panel title={title} aside={<span aria-hidden="true">{percent}%</span>}>
    <progress className="import-progress" max={100} value={percent} aria-label={title} />
    <p role="status" className="unseen">
      {percent >= 25 && `${percent - (percent % 25)}%`}
    </p>
    <p>{children}</p>
    {action && <div className="row-actions">{action}</div>}
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
          {state === 'stopped' && ' To import the rest, choose the same file again.'}
        </p>
      </Notice>
      {problems > 0 && <Problems import_id={id} />}
    </>
  )
}
