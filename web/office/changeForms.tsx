import type { ReactNode } from 'react'
import { DAYS_BETWEEN_USERNAMES } from '#contract/office.ts'
import { type OfficeView, officeCalls } from '#contract/office-calls.ts'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import type { Form } from '#web/form/useForm.ts'
import { CheckIcon } from '#web/icons.tsx'
import { officeApi } from './api.ts'
import { SubmitButton, useCallForm } from './CallForm.tsx'
import { isSignedOut } from './callErrors.ts'
import { ErrorNotice } from './ErrorNotice.tsx'
import { passwordMayBeChanged } from './messages.ts'

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
        hint={`Lowercase letters and numbers. It's also part of your link: your old link, with ${view.username}, will lead to the new one. You can change it once in ${DAYS_BETWEEN_USERNAMES} days.`}
      />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

function ChangePhone({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changePhone.input.shape,
    values: { mobile_phone: view.mobile_phone },
    send: async (values) => onDone('Your phone number has been changed.', await officeApi.changePhone(values)),
  })
  return (
    <ChangeForm form={form} username={view.username} onCancel={onCancel}>
      <PhoneField {...form.field('mobile_phone')} label="New mobile phone number" enterKeyHint="next" />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

function ChangeEmail({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changeEmail.input.shape,
    send: async (values) =>
      onDone(
        'Check your inbox. Open the link in our email to confirm your new address.',
        await officeApi.changeEmail(values),
      ),
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
        hint="We'll email a link to this address. Your address changes when you open it."
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

type CurrentPasswordProps = ReturnType<Form['field']> & { enterKeyHint?: 'next' | 'go' }

const CurrentPassword = ({ enterKeyHint = 'go', ...field }: CurrentPasswordProps) => (
  <PasswordField {...field} label="Current password" autoComplete="current-password" enterKeyHint={enterKeyHint} />
)

type ChangeFormProps = {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'summary' | 'busy' | 'failure'>
  /** Tells password managers whose password this is. */
  username?: string
  onCancel: () => void
  warning?: string | undefined
  children: ReactNode
}

function ChangeForm({ form, username, onCancel, warning, children }: ChangeFormProps) {
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
          Save
        </SubmitButton>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
