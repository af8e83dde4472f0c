import { useState } from 'react'
import type { AuditRow, Verdict } from '#contract/console/audit.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { actions, isAction } from '#contract/console/permissions.ts'
import { Field } from '#web/form/Field.tsx'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { Panel, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

/** What staff did, newest first. */
export function AuditScreen() {
  const { api, session } = useConsole()
  const { query } = useAddress()
  const before = query.get('before') ?? undefined
  const staff = query.get('staff') ?? undefined
  const loaded = useLoaded(`${before} ${staff}`, () =>
    api.listAudit({ ...(before ? { before } : {}), ...(staff ? { staff } : {}) }),
  )
  const { data } = loaded
  return (
    <>
      <ScreenHead title="Audit log" lead="Everything staff did. Rows never change: each is sealed with the one before.">
        <Verify onAcknowledged={loaded.reload} />
      </ScreenHead>
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <Panel
          title={staff ? 'Activity of one colleague' : 'Activity'}
          aside={staff && <Link to="/console/audit">Show all</Link>}
        >
          <ol className="log">
            {data.rows.map((row, index) => (
              <li key={row.position}>
                {!staff && <Seals between={row.position} and={data.rows[index - 1]?.position} />}
                <Row row={row} time={showTime(row.at, session.time_zone)} />
              </li>
            ))}
          </ol>
          {data.rows.length === 0 && <p className="small">Nothing yet.</p>}
          <Pages first={Boolean(before)} next={data.next} staff={staff} />
        </Panel>
      )}
    </>
  )
}

const Pages = ({ first, next, staff }: { first: boolean; next: string | undefined; staff: string | undefined }) => (
  <div className="pages">
    {first && (
      <Link to={`/console/audit${toQuery({ staff })}`} className="button quiet">
        Newest
      </Link>
    )}
    {next && (
      <Link to={`/console/audit${toQuery({ staff, before: next })}`} className="button quiet">
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

function Row({ row, time }: { row: AuditRow; time: string }) {
  const { act, who, role, subject_kind, subject, subject_name } = row
  const facts = [row.before && `before: ${toText(row.before)}`, row.after && `after: ${toText(row.after)}`]
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
        {time} · <bdi>{who}</bdi>, {role}
        {row.network && ` · network ${row.network}`} · row {row.position}
      </p>
      {row.reason && <p className="reason">“{row.reason}”</p>}
      {facts.some(Boolean) && <p className="small">{facts.filter(Boolean).join(' · ')}</p>}
      {row.is_erased && <p className="small">The details were erased.</p>}
    </>
  )
}

const toText = (facts: Record<string, unknown>) =>
  Object.entries(facts)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value ?? 'none'}`)
    .join(', ') || 'nothing'

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
