import type { ReactNode } from 'react'
import type { AppSecret } from '#contract/credentials.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { SecurityView } from '#contract/office/security.ts'
import { AppSetup } from '#web/credentials/AppSetup.tsx'
import { createPasskey } from '#web/credentials/passkeys.ts'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { officeApi } from '../api.ts'

type FormProps = {
  /** Tells password managers whose password this is. */
  username: string
  onCancel: () => void
}
type Change = { view: SecurityView; recovery_codes?: string[] | undefined }
type ChangeProps = FormProps & { onDone: (change: Change) => void }

const { current_password } = officeCalls.turnOffApp.input.shape

/** The browser makes a passkey once the password is right. */
export const AddPasskey = ({ onDone, ...form }: ChangeProps) => (
  <PasswordForm
    {...form}
    text="Enter your password. Your browser then asks how you want to confirm that it is you."
    submitLabel="Create a passkey"
    send={async (values) => {
      const response = await createPasskey(await officeApi.getNewPasskey(values))
      onDone(await officeApi.addPasskey({ response }))
    }}
  />
)

export function TurnOnApp({ secret, username, onCancel, onDone }: ChangeProps & { secret: AppSecret }) {
  const { code } = officeCalls.turnOnApp.input.shape
  const form = useCallForm({
    rules: { code, current_password },
    send: async (values) => onDone(await officeApi.turnOnApp({ ...values, sealed: secret.sealed })),
  })
  return (
    <FactorForm form={form} username={username} onCancel={onCancel} submitLabel="Turn on the app">
      <AppSetup secret={secret} field={form.field('code')} />
      <CurrentPassword {...form.field('current_password')} />
    </FactorForm>
  )
}

type PasswordFormProps = FormProps & {
  text: string
  submitLabel: string
  send: (values: { current_password: string }) => Promise<unknown>
}

/** A change that needs nothing but the password. */
export function PasswordForm({ text, send, ...props }: PasswordFormProps) {
  const form = useCallForm({ rules: { current_password }, send })
  return (
    <FactorForm form={form} {...props}>
      <p className="small">{text}</p>
      <CurrentPassword {...form.field('current_password')} />
    </FactorForm>
  )
}

type FactorFormProps = FormProps & {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'busy' | 'failure'>
  submitLabel: string
  children: ReactNode
}

const FactorForm = ({ form, username, onCancel, submitLabel, children }: FactorFormProps) => (
  <CallForm
    form={form}
    submitLabel={submitLabel}
    secondaryAction={
      <button type="button" className="button quiet" onClick={onCancel}>
        Cancel
      </button>
    }
  >
    <input type="text" name="username" autoComplete="username" defaultValue={username} readOnly hidden />
    {children}
  </CallForm>
)
