import { useState } from 'react'
import { type Access, STAFF_PASSWORD_LENGTH } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import type { AppSecret } from '#contract/credentials.ts'
import { plainDay } from '#contract/days.ts'
import { AppSetup } from '#web/credentials/AppSetup.tsx'
import { createPasskey } from '#web/credentials/passkeys.ts'
import { RecoveryCodes } from '#web/credentials/RecoveryCodes.tsx'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { Dialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { Panel, ScreenHead, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'

type Question = { kind: 'passkey' } | { kind: 'password'; secret: AppSecret } | { kind: 'codes'; codes: string[] }

/** A colleague's own ways to sign in. */
export function AccessScreen() {
  const { api, session } = useConsole()
  const loaded = useLoaded('access', () => api.getAccess({}))
  const { data, setData, reload } = loaded
  const [question, setQuestion] = useState<Question>()
  const [error, setError] = useState<string>()
  const close = () => setQuestion(undefined)
  const run = (work: () => Promise<void>) => {
    setError(undefined)
    work().catch((cause: unknown) => setError(errorMessage(cause)))
  }
  const showCodes = (codes: string[]) => {
    setQuestion({ kind: 'codes', codes })
    reload()
  }
  return (
    <>
      <ScreenHead title="Your access" lead={`${session.staff.name}, ${session.staff.email}, ${session.staff.role}`} />
      <ErrorNotice message={error} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div className="grid">
          <Panel title="Passkeys">
            <ul className="rows">
              {data.passkeys.map(({ credential_id, name, created_on, used_on }) => (
                <li key={credential_id}>
                  <div>
                    <p>{name}</p>
                    <p className="small">
                      added {plainDay(created_on)}
                      {used_on && `, last used ${plainDay(used_on)}`}
                    </p>
                  </div>
                  <div className="row-actions">
                    <button
                      type="button"
                      className="link danger"
                      onClick={() => run(async () => setData(await api.removePasskey({ credential_id })))}
                    >
                      Remove<span className="unseen"> {name}</span>
                    </button>
                  </div>
                </li>
              ))}
            </ul>
            {data.passkeys.length === 0 && <p className="small">You have no passkey yet.</p>}
            <button type="button" className="button quiet" onClick={() => setQuestion({ kind: 'passkey' })}>
              Add a passkey
            </button>
          </Panel>
          <Panel title="Password and app">
            <p className="small">
              {data.has_password
                ? `You can sign in with your password and a code. ${data.recovery_codes_left} recovery codes are left.`
                : 'Another way in, for a computer without your passkey.'}
            </p>
            <div className="row-actions">
              <button
                type="button"
                className="button quiet"
                onClick={() => run(async () => setQuestion({ kind: 'password', secret: await api.getAppSecret({}) }))}
              >
                {data.has_password ? 'Change password and app' : 'Set a password'}
              </button>
              {data.has_password && (
                <button
                  type="button"
                  className="button quiet"
                  onClick={() => run(async () => showCodes((await api.makeRecoveryCodes({})).recovery_codes))}
                >
                  New recovery codes
                </button>
              )}
            </div>
          </Panel>
          <Panel title="Other browsers">
            <p className="small">
              {data.other_sessions
                ? `You are also signed in in ${data.other_sessions === 1 ? 'one other browser' : `${data.other_sessions} other browsers`}.`
                : 'You are signed in only here.'}
            </p>
            {data.other_sessions > 0 && (
              <button
                type="button"
                className="button quiet"
                onClick={() => run(async () => setData(await api.endOtherSessions({})))}
              >
                Sign out there
              </button>
            )}
          </Panel>
        </div>
      )}
      {question?.kind === 'passkey' && (
        <AddPasskey
          onClose={close}
          onDone={(access) => {
            setData(access)
            close()
          }}
        />
      )}
      {question?.kind === 'password' && <SetPassword secret={question.secret} onClose={close} onDone={showCodes} />}
      {question?.kind === 'codes' && (
        <Dialog title="Your recovery codes" onClose={close}>
          <RecoveryCodes codes={question.codes} onDone={close} />
        </Dialog>
      )}
    </>
  )
}

function AddPasskey({ onClose, onDone }: { onClose: () => void; onDone: (access: Access) => void }) {
  const { api } = useConsole()
  const { name } = consoleCalls.addPasskey.input.shape
  const form = useCallForm({
    rules: { name },
    send: async (values) =>
      onDone(await api.addPasskey({ ...values, response: await createPasskey(await api.getNewPasskey({})) })),
  })
  return (
    <FormDialog title="Add a passkey" form={form} submitLabel="Create it" onClose={onClose}>
      <Field
        {...form.field('name')}
        label="What to call it"
        hint="Such as: Laptop, Phone, Key on the key ring"
        autoComplete="off"
      />
    </FormDialog>
  )
}

type SetPasswordProps = { secret: AppSecret; onClose: () => void; onDone: (codes: string[]) => void }

function SetPassword({ secret, onClose, onDone }: SetPasswordProps) {
  const { api } = useConsole()
  const { password, code } = consoleCalls.setPassword.input.shape
  const form = useCallForm({
    rules: { password, code },
    send: async (values) => onDone((await api.setPassword({ ...values, sealed: secret.sealed })).recovery_codes),
  })
  return (
    <FormDialog title="Password and app" form={form} submitLabel="Save" onClose={onClose}>
      <PasswordField
        {...form.field('password')}
        label="New password"
        autoComplete="new-password"
        length={STAFF_PASSWORD_LENGTH}
        enterKeyHint="next"
      />
      <AppSetup secret={secret} field={form.field('code')} />
    </FormDialog>
  )
}
