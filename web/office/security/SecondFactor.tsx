import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { AppSecret } from '#contract/credentials.ts'
import type { SecurityView } from '#contract/office/security.ts'
import { RecoveryCodes } from '#web/credentials/RecoveryCodes.tsx'
import { plainDay } from '#web/dates.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { AddPasskey, PasswordForm, TurnOnApp } from './factorForms.tsx'
import type { SecurityProps } from './Sessions.tsx'

/** The form that is open: one at a time. */
type OpenForm =
  | { kind: 'passkey' | 'app-off' | 'codes' }
  | { kind: 'app'; secret: AppSecret }
  | { kind: 'remove'; credential_id: string }

type Change = { view?: SecurityView; recovery_codes?: string[] | undefined; message: string }

/** Passkeys, the authenticator app, and the recovery codes that come with them. */
export function SecondFactor({ view, onChange }: SecurityProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [open, setOpen] = useState<OpenForm>()
  const [codes, setCodes] = useState<string[]>()
  const [success, setSuccess] = useState<string>()
  const [error, setError] = useState<string>()
  const isOn = view.has_app || view.passkeys.length > 0

  const show = (form: OpenForm) => {
    setSuccess(undefined)
    setError(undefined)
    flushSync(() => setOpen(form))
    document.querySelector<HTMLElement>('.change-form [name]:not([hidden])')?.focus()
  }
  const close = () => {
    flushSync(() => setOpen(undefined))
    heading.current?.focus()
  }
  /** Recovery codes are shown once, so they stay until the member has stored them. */
  const finish = ({ view, recovery_codes, message }: Change) => {
    if (view) onChange(view)
    setCodes(recovery_codes)
    setSuccess(message)
    close()
  }
  const startApp = () =>
    redirectIfSignedOut(officeApi.getAppSecret({})).then(
      (secret) => show({ kind: 'app', secret }),
      (cause: unknown) => setError(errorMessage(cause)),
    )
  const form = { username: view.username, onCancel: close }

  return (
    <section className="card" aria-labelledby="second-factor">
      <h2 id="second-factor" ref={heading} tabIndex={-1}>
        Two-step sign-in
      </h2>
      <SuccessNotice message={success} />
      <ErrorNotice message={error} />
      {codes ? (
        <>
          <h3>Your recovery codes</h3>
          <p className="small">If you lose your phone or your passkey, each of these opens your office once.</p>
          <RecoveryCodes
            codes={codes}
            onDone={() => {
              setCodes(undefined)
              close()
            }}
          />
        </>
      ) : (
        <>
          <p className="small">
            {isOn
              ? 'It is on: your password alone does not open your office.'
              : 'It is off: your password alone opens your office. Add a passkey or an app, and a stolen password is not enough.'}
          </p>
          <dl className="details">
            <Row
              label="Passkeys"
              value={
                view.passkeys.length
                  ? 'They open your office without a password.'
                  : 'Sign in with your fingerprint, your face or the screen lock of your device.'
              }
              action="Add"
              what="a passkey"
              onAction={() => show({ kind: 'passkey' })}
              form={
                open?.kind === 'passkey' && (
                  <AddPasskey
                    {...form}
                    onDone={(change) => finish({ ...change, message: 'Your passkey has been added.' })}
                  />
                )
              }
            />
            {view.passkeys.map(({ credential_id, name, created_on, used_on }) => (
              <Row
                key={credential_id}
                label="Passkey"
                value={name}
                note={`Added ${plainDay(created_on)}${used_on ? `, last used ${plainDay(used_on)}` : ''}`}
                action="Remove"
                what={`the passkey of ${name}`}
                onAction={() => show({ kind: 'remove', credential_id })}
                form={
                  open?.kind === 'remove' &&
                  open.credential_id === credential_id && (
                    <PasswordForm
                      {...form}
                      text="Remove it here, and then from the device."
                      submitLabel="Remove passkey"
                      send={async (values) =>
                        finish({
                          view: await officeApi.removePasskey({ ...values, credential_id }),
                          message: 'The passkey has been removed.',
                        })
                      }
                    />
                  )
                }
              />
            ))}
            <Row
              label="App"
              value={view.has_app ? 'On' : 'Off'}
              note="An authenticator app on your phone shows a code that changes every 30 seconds."
              action={view.has_app ? 'Turn off' : 'Turn on'}
              what="the authenticator app"
              onAction={() => (view.has_app ? show({ kind: 'app-off' }) : startApp())}
              form={
                (open?.kind === 'app' && (
                  <TurnOnApp
                    {...form}
                    secret={open.secret}
                    onDone={(change) => finish({ ...change, message: 'The authenticator app is on.' })}
                  />
                )) ||
                (open?.kind === 'app-off' && (
                  <PasswordForm
                    {...form}
                    text="We will no longer ask for its codes."
                    submitLabel="Turn off the app"
                    send={async (values) =>
                      finish({
                        view: await officeApi.turnOffApp(values),
                        message: 'The authenticator app is off.',
                      })
                    }
                  />
                ))
              }
            />
            {isOn && (
              <Row
                label="Recovery"
                value={`${view.recovery_codes_left} recovery ${view.recovery_codes_left === 1 ? 'code' : 'codes'} left`}
                action="Make new codes"
                onAction={() => show({ kind: 'codes' })}
                form={
                  open?.kind === 'codes' && (
                    <PasswordForm
                      {...form}
                      text="Your current codes will no longer work."
                      submitLabel="Make new codes"
                      send={async (values) => {
                        const { recovery_codes } = await officeApi.makeRecoveryCodes(values)
                        finish({
                          recovery_codes,
                          view: { ...view, recovery_codes_left: recovery_codes.length },
                          message: 'You have new recovery codes.',
                        })
                      }}
                    />
                  )
                }
              />
            )}
          </dl>
          <p className="small">Every change needs your password, and we email you about it at {view.email}.</p>
        </>
      )}
    </section>
  )
}

type RowProps = {
  label: string
  value: string
  note?: string
  action: string
  /** What the action is about, for screen readers. */
  what?: string
  onAction: () => void
  form: ReactNode
}

/** A line with a link, or the form that the link has opened. */
const Row = ({ label, value, note, action, what, onAction, form }: RowProps) =>
  form ? (
    <div className="editing">
      <dt>{label}</dt>
      <dd className="change-form">{form}</dd>
    </div>
  ) : (
    <div>
      <dt>{label}</dt>
      <dd>
        {value}
        {note && <span className="detail-note">{note}</span>}
      </dd>
      <dd>
        <button type="button" className="link" onClick={onAction}>
          {action}
          {what && <span className="unseen"> {what}</span>}
        </button>
      </dd>
    </div>
  )
