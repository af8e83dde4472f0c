import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { RecoveryCodes } from '#web/credentials/RecoveryCodes.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { AppRow, type Change, type OpenForm, PasskeyRows, RecoveryRow } from './factorRows.tsx'
import type { SecurityProps } from './Sessions.tsx'

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
  const rows = { view, open, form: { username: view.username, onCancel: close }, onShow: show, onFinish: finish }

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
            <PasskeyRows {...rows} />
            <AppRow {...rows} onTurnOn={startApp} />
            {isOn && <RecoveryRow {...rows} />}
          </dl>
          <p className="small">Every change needs your password, and we email you about it at {view.email}.</p>
        </>
      )}
    </section>
  )
}
