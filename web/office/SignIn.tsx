import { officeCalls } from '#contract/office-calls.ts'
import { MASTER } from '#contract/site.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import type { Form } from '#web/form/useForm.ts'
import { Notice } from '#web/Notice.tsx'
import { officeApi } from './api.ts'
import { CallForm, useCallForm } from './CallForm.tsx'
import { goTo } from './goTo.ts'
import { needsCookies } from './messages.ts'
import { Threshold } from './Threshold.tsx'

/** Nobody is signed in. */
export function SignIn({ news }: { news: string | undefined }) {
  return (
    <Threshold title="Sign in to your office" lead="With the username or the email address that you joined with.">
      <div role="status">{news && <Notice>{news}</Notice>}</div>
      <SignInForm />
      <p className="aside">
        Not a member yet? <a href={`/${MASTER}`}>Join here</a>
      </p>
    </Threshold>
  )
}

/** Name and password. Whoever they let in, walks in. */
export function SignInForm() {
  const form = useCallForm({
    rules: officeCalls.signIn.input.shape,
    send: async (answers) => {
      await officeApi.signIn(answers)
      goTo('/office', needsCookies) // which is said where nobody is signed in
    },
  })
  return (
    <CallForm form={form} button="Sign in" way={<a href="/office/forgotten-password">Forgotten your password?</a>}>
      <NameField {...form.field('name')} enterKeyHint="next" />
      <PasswordField {...form.field('password')} label="Password" autoComplete="current-password" enterKeyHint="go" />
    </CallForm>
  )
}

type NameProps = ReturnType<Form['field']> & { enterKeyHint: 'next' | 'send' }

/** Who somebody is, by either of two names. */
export const NameField = (field: NameProps) => (
  <Field
    {...field}
    label="Username or email address"
    autoComplete="username"
    autoCapitalize="none"
    autoCorrect="off"
    spellCheck={false}
  />
)
