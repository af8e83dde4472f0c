import { officeCalls } from '#contract/office-calls.ts'
import { MASTER } from '#contract/site.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { Notice } from '#web/Notice.tsx'
import { officeApi } from './api.ts'
import { Failure } from './Failure.tsx'
import { useNews } from './goTo.ts'
import { Submit } from './Submit.tsx'
import { Threshold } from './Threshold.tsx'
import { useCallForm } from './useCallForm.ts'

/** Nobody is signed in. */
export function SignIn() {
  const news = useNews()
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
      location.replace('/office')
    },
  })
  return (
    <form method="post" {...form.props}>
      <Field
        {...form.field('name')}
        label="Username or email address"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
      />
      <PasswordField {...form.field('password')} label="Password" autoComplete="current-password" enterKeyHint="go" />
      <Failure sentence={form.failure?.sentence} />
      <div className="ways">
        <Submit busy={form.busy}>Sign in</Submit>
        <a href="/office/forgotten-password">Forgotten your password?</a>
      </div>
    </form>
  )
}
