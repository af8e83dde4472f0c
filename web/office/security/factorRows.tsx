import type { ReactNode } from 'react'
import type { AppSecret } from '#contract/credentials.ts'
import { plainDay } from '#contract/days.ts'
import type { SecurityView } from '#contract/office/security.ts'
import { officeApi } from '../api.ts'
import { AddPasskey, PasswordForm, TurnOnApp } from './factorForms.tsx'

/** The form that is open: one at a time. */
export type OpenForm =
  | { kind: 'passkey' | 'app-off' | 'codes' }
  | { kind: 'app'; secret: AppSecret }
  | { kind: 'remove'; credential_id: string }

export type Change = { view?: SecurityView; recovery_codes?: string[] | undefined; message: string }

type RowsProps = {
  view: SecurityView
  open: OpenForm | undefined
  form: { username: string; onCancel: () => void }
  onShow: (form: OpenForm) => void
  onFinish: (change: Change) => void
}

export const PasskeyRows = ({ view, open, form, onShow, onFinish }: RowsProps) => (
  <>
    <Row
      label="Passkeys"
      value={
        view.passkeys.length
          ? 'They open your office without a password.'
          : 'Sign in with your fingerprint, your face or the screen lock of your device.'
      }
      action="Add"
      what="a passkey"
      onAction={() => onShow({ kind: 'passkey' })}
      form={
        open?.kind === 'passkey' && (
          <AddPasskey {...form} onDone={(change) => onFinish({ ...change, message: 'Your passkey has been added.' })} />
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
        onAction={() => onShow({ kind: 'remove', credential_id })}
        form={
          open?.kind === 'remove' &&
          open.credential_id === credential_id && (
            <PasswordForm
              {...form}
              text="Remove it here, and then from the device."
              submitLabel="Remove passkey"
              send={async (values) =>
                onFinish({
                  view: await officeApi.removePasskey({ ...values, credential_id }),
                  message: 'The passkey has been removed.',
                })
              }
            />
          )
        }
      />
    ))}
  </>
)

export const AppRow = ({ view, open, form, onShow, onFinish, onTurnOn }: RowsProps & { onTurnOn: () => void }) => (
  <Row
    label="App"
    value={view.has_app ? 'On' : 'Off'}
    note="An authenticator app on your phone shows a code that changes every 30 seconds."
    action={view.has_app ? 'Turn off' : 'Turn on'}
    what="the authenticator app"
    onAction={() => (view.has_app ? onShow({ kind: 'app-off' }) : onTurnOn())}
    form={
      (open?.kind === 'app' && (
        <TurnOnApp
          {...form}
          secret={open.secret}
          onDone={(change) => onFinish({ ...change, message: 'The authenticator app is on.' })}
        />
      )) ||
      (open?.kind === 'app-off' && (
        <PasswordForm
          {...form}
          text="We will no longer ask for its codes."
          submitLabel="Turn off the app"
          send={async (values) =>
            onFinish({
              view: await officeApi.turnOffApp(values),
              message: 'The authenticator app is off.',
            })
          }
        />
      ))
    }
  />
)

export const RecoveryRow = ({ view, open, form, onShow, onFinish }: RowsProps) => (
  <Row
    label="Recovery"
    value={`${view.recovery_codes_left} recovery ${view.recovery_codes_left === 1 ? 'code' : 'codes'} left`}
    action="Make new codes"
    onAction={() => onShow({ kind: 'codes' })}
    form={
      open?.kind === 'codes' && (
        <PasswordForm
          {...form}
          text="Your current codes will no longer work."
          submitLabel="Make new codes"
          send={async (values) => {
            const { recovery_codes } = await officeApi.makeRecoveryCodes(values)
            onFinish({
              recovery_codes,
              view: { ...view, recovery_codes_left: recovery_codes.length },
              message: 'You have new recovery codes.',
            })
          }}
        />
      )
    }
  />
)

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
