import { type ReactNode, useState } from 'react'
import { DAYS_BETWEEN_USERNAMES } from '#contract/office/address.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import { showPhone } from '#web/form/showPhone.ts'
import { CheckIcon } from '#web/icons.tsx'
import { SubmitButton, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'
import { isSignedOut } from '../callErrors.ts'
import { passwordMayBeChanged } from '../messages.ts'

export type EditableDetail = keyof typeof changeForms

type ChangeProps = {
  view: OfficeView
  onCancel: () => void
  /** Takes a success message, and the new data if it changed. */
  onDone: (message: string, view?: OfficeView) => void
}

/** The details that members can change themselves, each with its form. */
export const changeForms = {
  name: ChangeName,
  username: ChangeUsername,
  mobile_phone: ChangePhone,
  email: ChangeEmail,
  password: ChangePassword,
}

function ChangeName({ view, onCancel, onDone }: ChangeProps) {
  const { first_name, last_name, business_name, username } = view
  const { username: _username, ...rules } = officeCalls.changeName.input.shape
  const form = useCallForm({
    rules,
    values: { first_name, last_name, business_name },
    send: async (values) => onDone('Your name has been changed.', await officeApi.changeName({ ...values, username })),
  })
  return (
    <ChangeForm form={form} onCancel={onCancel}>
      <Field {...form.field('first_name')} label="First name" autoComplete="given-name" enterKeyHint="next" />
      <Field {...form.field('last_name')} label="Last name" autoComplete="family-name" enterKeyHint="next" />
      <Field
        {...form.field('business_name')}
        label="Company name"
        optional
        autoComplete="organization"
        enterKeyHint="go"
        hint="If you enter one, visitors see it instead of your name."
      />
    </ChangeForm>
  )
}

function ChangeUsername({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changeUsername.input.shape,
    send: async (values) => {
      const changed = await officeApi.changeUsername(values)
      onDone(`Your username is now ${changed.username}. Your old link leads to the new one.`, changed)
    },
  })
  return (
    <ChangeForm form={form} onCancel={onCancel}>
      <Field
        {...form.field('username')}
        label="New username"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
        hint={`Lowercase letters and numbers. It’s also part of your link: your old link, with ${view.username}, will lead to the new one. You can change it once in ${DAYS_BETWEEN_USERNAMES} days.`}
      />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

const PHONE_CHANGED = 'Your phone number has been changed.'

/** Where codes are sent, the new number is confirmed with one before it counts. */
function ChangePhone(props: ChangeProps) {
  const [newPhone, setNewPhone] = useState(props.view.unconfirmed_phone)
  return newPhone ? (
    <ConfirmPhone {...props} newPhone={newPhone} onOtherNumber={() => setNewPhone(undefined)} />
  ) : (
    <EnterPhone {...props} onCodeSent={setNewPhone} />
  )
}

function EnterPhone({ view, onCancel, onDone, onCodeSent }: ChangeProps & { onCodeSent: (newPhone: string) => void }) {
  const form = useCallForm({
    rules: officeCalls.changePhone.input.shape,
    values: { mobile_phone: view.mobile_phone },
    send: async (values) => {
      const changed = await officeApi.changePhone(values)
      if (changed.unconfirmed_phone) onCodeSent(changed.unconfirmed_phone)
      else onDone(PHONE_CHANGED, changed)
    },
  })
  return (
    <ChangeForm form={form} username={view.username} onCancel={onCancel}>
      <PhoneField {...form.field('mobile_phone')} label="New mobile phone number" enterKeyHint="next" />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

type ConfirmPhoneProps = ChangeProps & { newPhone: string; onOtherNumber: () => void }

function ConfirmPhone({ view, newPhone, onOtherNumber, onCancel, onDone }: ConfirmPhoneProps) {
  const { username } = view
  const form = useCallForm({
    rules: { code: officeCalls.confirmPhone.input.shape.code },
    send: async (values) => onDone(PHONE_CHANGED, await officeApi.confirmPhone({ ...values, username })),
  })
  const [answer, setAnswer] = useState('')
  const resend = () =>
    officeApi.sendPhoneCode({ username }).then(
      () => setAnswer('We sent a new code.'),
      (cause: unknown) => setAnswer(errorMessage(cause)),
    )
  return (
    <ChangeForm form={form} onCancel={onCancel} submitLabel="Confirm">
      <Field
        {...form.field('code')}
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        enterKeyHint="go"
        autoFocus
        hint={`We sent a code to ${showPhone(newPhone)}. Enter it to change your number.`}
      />
      <p className="detail-note">
        No code?{' '}
        <button type="button" className="link" onClick={resend}>
          Send a new one
        </button>{' '}
        or{' '}
        <button type="button" className="link" onClick={onOtherNumber}>
          use another number
        </button>
        . <span role="status">{answer}</span>
      </p>
    </ChangeForm>
  )
}

function ChangeEmail({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changeEmail.input.shape,
    send: async (values) => {
      const changed = await officeApi.changeEmail(values)
      const isChanged = changed.email === values.email
      onDone(
        isChanged
          ? 'Your address has been changed. Open the link in our email to confirm it.'
          : 'Check your inbox. Open the link in our email to confirm your new address.',
        changed,
      )
    },
  })
  return (
    <ChangeForm form={form} username={view.username} onCancel={onCancel}>
      <Field
        {...form.field('email')}
        label="New email address"
        type="email"
        inputMode="email"
        autoComplete="email"
        enterKeyHint="next"
        hint={
          view.is_email_confirmed
            ? 'We’ll email a link to this address. Your address changes when you open it.'
            : 'We’ll email a link to this address. Please open it to confirm the address.'
        }
      />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

function ChangePassword({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changePassword.input.shape,
    send: async (values) => {
      await officeApi.changePassword(values)
      onDone('Your password has been changed. Every other browser is signed out.')
    },
  })
  return (
    <ChangeForm
      form={form}
      username={view.username}
      onCancel={onCancel}
      warning={form.mayHaveSucceeded ? passwordMayBeChanged : undefined}
    >
      <CurrentPassword {...form.field('current_password')} enterKeyHint="next" />
      <PasswordField {...form.field('password')} label="New password" autoComplete="new-password" enterKeyHint="go" />
    </ChangeForm>
  )
}

type ChangeFormProps = {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'summary' | 'busy' | 'failure'>
  /** Tells password managers whose password this is. */
  username?: string
  onCancel: () => void
  warning?: string | undefined
  submitLabel?: string
  children: ReactNode
}

function ChangeForm({ form, username, onCancel, warning, submitLabel = 'Save', children }: ChangeFormProps) {
  return (
    <form className="change-form" method="post" {...form.props}>
      <ErrorSummary entries={form.summary} />
      {username && (
        <input type="text" name="username" autoComplete="username" defaultValue={username} readOnly hidden />
      )}
      {children}
      <ErrorNotice message={[form.failure?.message, warning].filter(Boolean).join(' ')}>
        {isSignedOut(form.failure?.cause) && <a href="/office">Go to the sign-in page</a>}
      </ErrorNotice>
      <div className="form-actions">
        <SubmitButton busy={form.busy} icon={<CheckIcon />}>
          {submitLabel}
        </SubmitButton>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
