import type { ReactNode } from 'react'
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
  mobile_phone: ChangePhone,
  email: ChangeEmail,
  password: ChangePassword,
}

function ChangePhone({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changePhone.input.shape,
    values: { mobile_phone: view.mobile_phone },
    send: async (values) => onDone('Your phone number has been changed.', await officeApi.changePhone(values)),
  })
  return (
    <ChangeForm form={form} view={view} onCancel={onCancel}>
      <PhoneField {...form.field('mobile_phone')} label="New mobile phone number" enterKeyHint="next" />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

function ChangeEmail({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changeEmail.input.shape,
    send: async (values) =>
      onDone('Almost done. Please open the link in the email.', await officeApi.changeEmail(values)),
  })
  return (
    <ChangeForm form={form} view={view} onCancel={onCancel}>
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
      view={view}
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
  view: OfficeView
  onCancel: () => void
  warning?: string | undefined
  children: ReactNode
}

function ChangeForm({ form, view, onCancel, warning, children }: ChangeFormProps) {
  return (
    <form className="change-form" method="post" {...form.props}>
      <ErrorSummary entries={form.summary} />
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" defaultValue={view.username} readOnly hidden />
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
