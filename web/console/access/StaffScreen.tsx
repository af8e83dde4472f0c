import { useState } from 'react'
import type { StaffList } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { allPermissions, mayDo, permissions, type Role, roles } from '#contract/console/permissions.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { CheckIcon } from '#web/icons.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { CopyDialog } from '../CopyDialog.tsx'
import { Chip, Panel, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

type Person = StaffList['staff'][number]
type Question = { kind: 'invite' } | { kind: 'role' | 'remove'; person: Person } | { kind: 'link'; link: string }

/** Who has access, and what each role may do. */
export function StaffScreen() {
  const { api, session, may } = useConsole()
  const loaded = useLoaded('staff', () => api.listStaff({}))
  const { data, setData } = loaded
  const [question, setQuestion] = useState<Question>()
  const [success, setSuccess] = useState<string>()
  const close = () => setQuestion(undefined)
  const done = (message: string) => (list: StaffList) => {
    setData(list)
    setSuccess(message)
    close()
  }
  const isOwner = may('manage_staff')
  return (
    <>
      <ScreenHead title="Staff" lead="The people who work for the operator and use this console.">
        {isOwner && (
          <button type="button" className="button" onClick={() => setQuestion({ kind: 'invite' })}>
            Invite a colleague
          </button>
        )}
      </ScreenHead>
      <SuccessNotice message={success} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <>
          <Panel title="People">
            <ul className="rows">
              {data.staff.map((person) => (
                <li key={person.id}>
                  <PersonRow person={person} isOwner={isOwner} onAsk={setQuestion} />
                </li>
              ))}
              {data.invitations.map(({ id, email, role, expires_at }) => (
                <li key={id}>
                  <div>
                    <p>
                      <bdi>{email}</bdi> <Chip tone="warn">invited as {role}</Chip>
                    </p>
                    <p className="small">until {showTime(expires_at, session.time_zone)}</p>
                  </div>
                  {isOwner && (
                    <div className="row-actions">
                      <Withdraw id={id} onDone={done(`The invitation for ${email} was withdrawn.`)} />
                    </div>
                  )}
                </li>
              ))}
            </ul>
          </Panel>
          <RoleTable />
        </>
      )}
      {question?.kind === 'invite' && (
        <Invite
          onClose={close}
          onDone={({ link, ...list }) => {
            setData(list)
            setQuestion({ kind: 'link', link })
          }}
        />
      )}
      {question?.kind === 'link' && (
        <CopyDialog
          title="The invitation is ready"
          text="Send this link to your colleague. It works once, and for three days."
          value={question.link}
          label="Copy the link"
          onClose={close}
        />
      )}
      {question?.kind === 'role' && (
        <ChangeRole
          person={question.person}
          onClose={close}
          onDone={done(`${question.person.name}’s role was changed.`)}
        />
      )}
      {question?.kind === 'remove' && (
        <Remove
          person={question.person}
          onClose={close}
          onDone={done(`${question.person.name} no longer has access.`)}
        />
      )}
    </>
  )
}

type PersonRowProps = { person: Person; isOwner: boolean; onAsk: (question: Question) => void }

function PersonRow({ person, isOwner, onAsk }: PersonRowProps) {
  const { session, may } = useConsole()
  const { name, email, role, passkeys, has_password, is_you, seen_at } = person
  const ways = [passkeys && (passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`), has_password && 'a password']
  return (
    <>
      <div>
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          <Chip tone={role === 'owner' ? 'good' : 'plain'}>{role}</Chip> {is_you && <span className="small">you</span>}
        </p>
        <p className="small">
          {email} · signs in with {ways.filter(Boolean).join(' and ')}
          {seen_at && <> · last active {showTime(seen_at, session.time_zone)}</>}
        </p>
      </div>
      <div className="row-actions">
        {may('see_audit') && <Link to={`/console/audit?staff=${person.id}`}>Activity</Link>}
        {isOwner && (
          <>
            <button type="button" className="link" onClick={() => onAsk({ kind: 'role', person })}>
              Change role
            </button>
            <button type="button" className="link danger" onClick={() => onAsk({ kind: 'remove', person })}>
              Remove
            </button>
          </>
        )}
      </div>
    </>
  )
}

type AskProps<Reply = StaffList> = { onClose: () => void; onDone: (reply: Reply) => void }

const roleOptions = roles.map((role) => ({ value: role, text: role }))

function Invite({ onClose, onDone }: AskProps<StaffList & { link: string }>) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: consoleCalls.inviteStaff.input.shape,
    values: { role: 'support' },
    send: async (values) => onDone(await api.inviteStaff(values)),
  })
  return (
    <FormDialog title="Invite a colleague" form={form} submitLabel="Make the link" onClose={onClose}>
      <Field {...form.field('email')} label="Email address" type="email" autoComplete="off" enterKeyHint="next" />
      <SelectField {...form.field('role')} label="Role" options={roleOptions} />
    </FormDialog>
  )
}

function ChangeRole({ person, onClose, onDone }: AskProps & { person: Person }) {
  const { api } = useConsole()
  const { role } = consoleCalls.changeRole.input.shape
  const form = useCallForm({
    rules: { role },
    values: { role: person.role },
    send: async (values) => onDone(await api.changeRole({ id: person.id, ...values })),
  })
  return (
    <FormDialog title={`The role of ${person.name}`} form={form} submitLabel="Change" onClose={onClose}>
      <SelectField {...form.field('role')} label="Role" options={roleOptions} />
    </FormDialog>
  )
}

function Remove({ person, onClose, onDone }: AskProps & { person: Person }) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title={`Remove ${person.name}?`}
      text="They’re signed out immediately and can’t come back without an invitation. What they did stays in the audit log."
      submitLabel="Remove"
      send={async () => onDone(await api.removeStaff({ id: person.id }))}
      onClose={onClose}
    />
  )
}

function Withdraw({ id, onDone }: { id: string; onDone: (list: StaffList) => void }) {
  const { api } = useConsole()
  const [error, setError] = useState<string>()
  const withdraw = () =>
    api
      .withdrawInvitation({ id })
      .then(onDone, (cause: unknown) => setError(cause instanceof Error ? cause.message : ''))
  return (
    <>
      <button type="button" className="link danger" onClick={withdraw}>
        Withdraw
      </button>
      {error && <p role="alert">{error}</p>}
    </>
  )
}

/** The same table that the server checks every call against. */
const RoleTable = () => (
  <Panel title="What each role may do">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it too */}
    <section className="scroll" aria-label="Permissions by role" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">May</th>
            {roles.map((role) => (
              <th key={role} scope="col">
                {role}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {allPermissions.map((permission) => (
            <tr key={permission}>
              <th scope="row">{permissions[permission].text}</th>
              {roles.map((role: Role) => (
                <td key={role}>
                  {mayDo(role, permission) ? (
                    <>
                      <CheckIcon />
                      <span className="unseen">yes</span>
                    </>
                  ) : (
                    <span className="unseen">no</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </Panel>
)
