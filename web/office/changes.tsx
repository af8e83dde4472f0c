import type { ReactNode } from 'react'
import { type OfficeView, officeCalls } from '#contract/office-calls.ts'
import { passwordProblem } from '#contract/password.ts'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import type { Form } from '#web/form/useForm.ts'
import { CheckIcon } from '#web/icons.tsx'
import { officeApi } from './api.ts'
import { Submit, useCallForm } from './CallForm.tsx'
import { Failure } from './Failure.tsx'
import { maybeChanged } from './messages.ts'
import { isSignedOut } from './sentenceOf.ts'

export type Change = keyof typeof changes

type ChangeProps = {
  view: OfficeView
  onCancel: () => void
  /** What to say, and what the office shows from now on. */
  onDone: (news: string, told?: OfficeView) => void
}

/** The details that a member changes alone, each with its form. */
export const changes = {
  mobile_phone: ChangePhone,
  email: ChangeEmail,
  password: ChangePassword,
}

function ChangePhone({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changePhone.input.shape,
    values: { mobile_phone: view.mobile_phone },
    send: async (answers) => onDone('Your phone number is changed.', await officeApi.changePhone(answers)),
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
    send: async (answers) =>
      onDone('Nearly done. Please press the link in the letter.', await officeApi.changeEmail(answers)),
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
        hint="It counts once you have pressed the link in the letter that we send there."
      />
      <CurrentPassword {...form.field('current_password')} />
    </ChangeForm>
  )
}

function ChangePassword({ view, onCancel, onDone }: ChangeProps) {
  const form = useCallForm({
    rules: officeCalls.changePassword.input.shape,
    across: (found) => ({ password: passwordProblem(found.password ?? '', view) }),
    send: async (answers) => {
      await officeApi.changePassword(answers)
      onDone('Your password is changed. Every other browser is signed out.')
    },
  })
  return (
    <ChangeForm form={form} view={view} onCancel={onCancel} doubt={form.isDoubtful ? maybeChanged : undefined}>
      <CurrentPassword {...form.field('current_password')} enterKeyHint="next" />
      <PasswordField {...form.field('password')} label="New password" autoComplete="new-password" enterKeyHint="go" />
    </ChangeForm>
  )
}

type CurrentProps = ReturnType<Form['field']> & { enterKeyHint?: 'next' | 'go' }

const CurrentPassword = ({ enterKeyHint = 'go', ...field }: CurrentProps) => (
  <PasswordField {...field} label="Current password" autoComplete="current-password" enterKeyHint={enterKeyHint} />
)

type ChangeFormProps = {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'summary' | 'busy' | 'failure'>
  view: OfficeView
  onCancel: () => void
  /** What an earlier press may have done all the same. */
  doubt?: string | undefined
  children: ReactNode
}

function ChangeForm({ form, view, onCancel, doubt, children }: ChangeFormProps) {
  return (
    <form className="change" method="post" {...form.props}>
      <ErrorSummary entries={form.summary} />
      {/* Tells a password manager whose password this is. */}
      <input type="text" name="username" autoComplete="username" defaultValue={view.username} readOnly hidden />
      {children}
      <Failure sentence={[form.failure?.sentence, doubt].filter(Boolean).join(' ')}>
        {isSignedOut(form.failure?.cause) && <a href="/office">Open the sign-in page</a>}
      </Failure>
      <div className="ways">
        <Submit busy={form.busy} icon={<CheckIcon />}>
          Save
        </Submit>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
