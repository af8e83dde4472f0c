import { type FormEvent, useState } from 'react'
import type { AuditFilter, AuditRow, Verdict } from '#contract/console/audit.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { actions, isAction } from '#contract/console/permissions.ts'
import { API } from '#contract/paths.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { ExportLink, TextFilter } from '../lists.tsx'
import { Panel, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { changesOf } from './facts.ts'

const filterNames = ['staff', 'action', 'member', 'day'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

/** What staff did, newest first. Filter and page are in the address. */
export function AuditScreen() {
  const { api, session } = useConsole()
  const { query } = useAddress()
  const before = query.get('before') ?? undefined
  const filter: Filter = Object.fromEntries(
    filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])),
  )
  const isFiltered = Object.keys(filter).length > 0
  const loaded = useLoaded(query.toString(), () =>
    api.listAudit({ ...(filter as AuditFilter), ...(before ? { before } : {}) }),
  )
  const { data } = loaded
  return (
    <>
      <ScreenHead title="Audit log" lead="Everything staff did. Rows never change: each is sealed with the one before.">
        <ExportLink href={`${API}${consoleCalls.exportAudit.path}${toQuery(filter)}`} />
        <Verify onAcknowledged={loaded.reload} />
      </ScreenHead>
      <Filters filter={filter} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <Panel title={filter.staff ? 'Activity of one colleague' : 'Activity'}>
          <ol className="log">
            {data.rows.map((row, index) => (
              <li key={row.position}>
                {!isFiltered && <Seals between={row.position} and={data.rows[index - 1]?.position} />}
                <Row row={row} time_zone={session.time_zone} />
              </li>
            ))}
          </ol>
          {data.rows.length === 0 && <p className="small">{isFiltered ? 'No matches.' : 'Nothing yet.'}</p>}
          <Pages first={Boolean(before)} next={data.next} filter={filter} />
        </Panel>
      )}
    </>
  )
}

const actionOptions = Object.entries(actions)
  .map(([value, { text }]) => ({ value, text }))
  .filter(({ value }) => value !== 'seal_events') // the list leaves them out
  .sort((a, b) => a.text.localeCompare(b.text))

function Filters({ filter }: { filter: Filter }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const entered = Object.fromEntries(new FormData(event.currentTarget)) as Filter
    navigate(`/console/audit${toQuery({ staff: filter.staff, ...entered })}`)
  }
  return (
    <form
      className="filters"
      onSubmit={submit}
      onChange={({ target, currentTarget }) => target instanceof HTMLSelectElement && currentTarget.requestSubmit()}
      key={JSON.stringify(filter)}
    >
      <SelectField
        name="action"
        label="Action"
        optional
        placeholder="Any"
        defaultValue={filter.action ?? ''}
        options={actionOptions}
      />
      <TextFilter name="member" label="Member’s username or email" value={filter.member} />
      <TextFilter name="day" label="Day" type="date" value={filter.day} />
      <div className="filter-actions">
        <button type="submit" className="button quiet">
          Apply
        </button>
        {Object.keys(filter).length > 0 && <Link to="/console/audit">Clear</Link>}
      </div>
    </form>
  )
}

const Pages = ({ first, next, filter }: { first: boolean; next: string | undefined; filter: Filter }) => (
  <div className="pages">
    {first && (
      <Link to={`/console/audit${toQuery(filter)}`} className="button quiet">
        Newest
      </Link>
    )}
    {next && (
      <Link to={`/console/audit${toQuery({ ...filter, before: next })}`} className="button quiet">
        Older
      </Link>
    )}
  </div>
)

/** The list leaves out what seals the security log. Without this line, rows would seem to be missing. */
const Seals = ({ between, and }: { between: number; and: number | undefined }) => {
  const count = (and ?? between + 1) - between - 1
  return count > 0 && <p className="small">{count === 1 ? '1 seal' : `${count} seals`} of the security log</p>
}

function Row({ row, time_zone }: { row: AuditRow; time_zone: string }) {
  const { act, who, role, subject_kind, subject, subject_name } = row
  const changes = changesOf(row.before, row.after, time_zone)
  return (
    <>
      <p>
        <strong>{isAction(act) ? actions[act].text : act}</strong>{' '}
        {subject_kind === 'member' ? (
          <Link to={`/console/members/${subject}`}>{subject_name ?? 'a member'}</Link>
        ) : (
          subject_name && subject_name !== who && <bdi>{subject_name}</bdi>
        )}
      </p>
      <p className="small">
        {showTime(row.at, time_zone)} · <bdi>{who}</bdi>, {role}
        {row.network && ` · network ${row.network}`} · row {row.position}
      </p>
      {row.reason && <p className="reason">“{row.reason}”</p>}
      {changes.length > 0 && <p className="small">{changes.join(' · ')}</p>}
      {row.is_erased && <p className="small">The details were erased.</p>}
    </>
  )
}

function Verify({ onAcknowledged }: { onAcknowledged: () => void }) {
  const { api, may } = useConsole()
  const [verdict, setVerdict] = useState<Verdict>()
  const [isAsking, setIsAsking] = useState(false)
  const [round, setRound] = useState(0)
  const { button, error } = useAction(async () => {
    setVerdict(await api.verifyAudit({}))
    setRound((last) => last + 1)
  })
  return (
    <div className="verify" key={round}>
      <ActionButton quiet busy={button.busy && !verdict} run={button.run}>
        Check the chain
      </ActionButton>
      <ErrorNotice message={error} />
      <div role="status">
        {verdict && (
          <Notice tone={verdict.problem ? 'alert' : 'info'}>
            {verdict.problem ??
              `Intact: ${verdict.rows} rows and ${verdict.security.events} security events. Seal ${verdict.seal}`}
          </Notice>
        )}
      </div>
      {verdict?.open_report && may('acknowledge_reports') && (
        <button type="button" className="link" onClick={() => setIsAsking(true)}>
          Acknowledge
        </button>
      )}
      {isAsking && verdict?.open_report && (
        <Acknowledge
          position={verdict.open_report}
          onClose={() => setIsAsking(false)}
          onDone={(next) => {
            setVerdict(next)
            setIsAsking(false)
            onAcknowledged()
          }}
        />
      )}
    </div>
  )
}

type AcknowledgeProps = { position: number; onClose: () => void; onDone: (verdict: Verdict) => void }

function Acknowledge({ position, onClose, onDone }: AcknowledgeProps) {
  const { api } = useConsole()
  const { reason } = consoleCalls.acknowledgeReports.input.shape
  const form = useCallForm({
    rules: { reason },
    send: async (values) => onDone(await api.acknowledgeReports({ position: String(position), ...values })),
  })
  return (
    <FormDialog
      title="Acknowledge the reports"
      text={`Do this only if you know why the log changed, for example after a restore. Reports up to row ${position} will no longer count; new ones will.`}
      form={form}
      submitLabel="Acknowledge"
      onClose={onClose}
    >
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}
