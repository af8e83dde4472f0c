import { useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import { disputeOutcome, type Problem, type ProblemList } from '#contract/console/overview.ts'
import { showAmount } from '#contract/money.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Panel, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link, toQuery } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

/** What to do about each kind. */
const advice: Record<Problem['kind'], string> = {
  dispute:
    'Answer the bank at the gateway. The membership is on hold: release it on the member’s page once this is settled, then resolve it here.',
  resumed: 'Nothing to do unless a member wants the old renewal day back. You can move it on the member’s page.',
  renewal: 'Ask the member for another card. Otherwise the membership ends after the last try.',
  discrepancy: 'Compare it at the gateway. Correct it there or here, or resolve it with a reason.',
  unanswered: 'We keep checking. If it lasts for hours, ask the gateway.',
  review: 'Approve or decline it at the gateway; it follows within minutes.',
  key: 'Create a new key, give it to the system that uses this one, then revoke this one.',
  webhook:
    'Check how the receiver responds, fix it, and turn the webhook back on if it’s off. We keep its events for 90 days.',
  email: 'Check the address on the member’s page, or the mail server.',
}

/** Everything that no program can decide. */
export function ProblemsScreen() {
  const { api, session, may } = useConsole()
  const loaded = useLoaded('problems', () => api.listProblems({}))
  const [chosen, setChosen] = useState<Problem>()
  const [success, setSuccess] = useState<string>()
  const { data, setData } = loaded
  return (
    <>
      <ScreenHead title="To do" lead="Oldest first." />
      <SuccessNotice message={success} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : data.problems.length === 0 ? (
        <p className="empty">Nothing to do right now.</p>
      ) : (
        <Panel title={`${data.problems.length} waiting`}>
          {data.is_capped && <Notice>There are more than are shown.</Notice>}
          <ul className="rows">
            {data.problems.map((problem) => (
              <li key={`${problem.since} ${problem.title} ${problem.detail}`}>
                <div>
                  <p>
                    <strong>{problem.title}</strong> {problem.amount && showAmount(problem.amount)}
                  </p>
                  <p className="small">
                    {showTime(problem.since, session.time_zone)} · <bdi>{problem.detail}</bdi>
                  </p>
                  <p className="small">{advice[problem.kind]}</p>
                </div>
                <div className="row-actions">
                  {problem.member && (
                    <Link to={`/console/members/${problem.member.id}`}>
                      <bdi>{problem.member.name}</bdi>
                    </Link>
                  )}
                  {problem.resumed_on && may('see_members') && (
                    <Link to={`/console/members${toQuery({ resumed_on: problem.resumed_on })}`}>See these members</Link>
                  )}
                  {problem.kind === 'key' && may('see_keys') && <Link to="/console/keys">See the keys</Link>}
                  {problem.endpoint_id && may('see_webhooks') && (
                    <Link to={`/console/webhooks/${problem.endpoint_id}`}>Open the webhook</Link>
                  )}
                  {problem.discrepancy && may('resolve_problems') && (
                    <button type="button" className="link" onClick={() => setChosen(problem)}>
                      Resolve
                    </button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {chosen?.discrepancy && (
        <Resolve
          discrepancy={chosen.discrepancy}
          onClose={() => setChosen(undefined)}
          onDone={(list) => {
            setData(list)
            setSuccess(chosen.kind === 'dispute' ? 'The dispute is closed.' : 'The discrepancy is resolved.')
            setChosen(undefined)
          }}
        />
      )}
    </>
  )
}

type ResolveProps = {
  discrepancy: NonNullable<Problem['discrepancy']>
  onClose: () => void
  onDone: (list: ProblemList) => void
}

const outcomes = [
  { value: 'lost', text: 'The bank returned the money' },
  { value: 'other', text: 'Something else' },
]

function Resolve({ discrepancy, onClose, onDone }: ResolveProps) {
  const { api } = useConsole()
  const isDispute = discrepancy.kind === 'dispute'
  const { reason, outcome } = consoleCalls.resolveDiscrepancy.input.shape
  const form = useCallForm({
    rules: { reason, outcome: isDispute ? disputeOutcome : outcome },
    send: async (values) => onDone(await api.resolveDiscrepancy({ ...discrepancy, ...values })),
  })
  return (
    <FormDialog
      title={isDispute ? 'Close this dispute' : 'Resolve this discrepancy'}
      text="It opens again only if the gateway says something else."
      form={form}
      submitLabel={isDispute ? 'Close the dispute' : 'Resolve'}
      onClose={onClose}
    >
      {isDispute && (
        <SelectField
          {...form.field('outcome')}
          label="How did it end?"
          hint="If the bank returned the money, the member’s receipt will say so."
          options={outcomes}
          placeholder="Choose"
          defaultValue=""
        />
      )}
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}
