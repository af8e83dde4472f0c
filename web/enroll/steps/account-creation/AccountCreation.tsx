import { passwordProblem } from '#contract/password.ts'
import { api } from '#web/api.ts'
import { isSameDraft } from '#web/enroll/wizard/draft.ts'
import { asked } from '#web/enroll/wizard/rules.ts'
import { StepForm } from '#web/enroll/wizard/StepForm.tsx'
import { useHere } from '#web/enroll/wizard/useIsMounted.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { type Form, type Messages, useForm } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import { useUsername } from './useUsername.ts'

/** How the new member signs in. */
export function AccountCreation({ wizard }: { wizard: Wizard }) {
  const form = useForm({
    rules: () => asked.ACCOUNT_CREATION,
    values: wizard.draft,
    serverMessages: wizard.refused,
    checkedByServer: ['email', 'username'],
    crossFieldRules: (found) => ({ password: passwordProblem(found.password ?? '', { ...wizard.draft, ...found }) }),
    onValid: async (answers): Promise<Messages | 'again' | undefined> => {
      const pressedWith = wizard.remember()
      const [email, taken] = await Promise.all([findEmail(answers.email, form), username.check(answers.username)])
      if (!here.current) return // who has gone back meanwhile stays there
      if (!isSameDraft(pressedWith, wizard.remember())) return 'again' // and who has corrected something means that
      if (!email && !taken) return wizard.advance(answers)
      return { ...(email ? { email } : {}), ...(taken ? { username: taken } : {}) }
    },
  })
  const username = useUsername(form)
  const here = useHere()
  return (
    <StepForm
      wizard={wizard}
      step="ACCOUNT_CREATION"
      form={form}
      title="Create your account"
      lead="This is how you sign in to your office."
    >
      <Field
        {...form.field('email')}
        label="Email address"
        type="email"
        inputMode="email"
        autoComplete="email"
        enterKeyHint="next"
        hint="Your receipt and your welcome letter go here."
      />
      <Field
        {...form.field('username')}
        {...username.input}
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
        hint="Small letters and numbers. It is also the link that you share."
      >
        <p className={username.news.isFree ? 'availability' : 'unseen'} role="status">
          {username.news.said}
        </p>
      </Field>
      <PasswordField {...form.field('password')} label="Password" autoComplete="new-password" enterKeyHint="go" />
    </StepForm>
  )
}

/** What the server has against an email address, if anything. Where a lookup fails, which is only logged, what it said before. */
async function findEmail(
  email: string,
  { serverMessagesFor }: Pick<Form, 'serverMessagesFor'>,
): Promise<string[] | undefined> {
  try {
    const answer = await api.validateEmail({ email })
    return answer.email === 'Available' ? undefined : answer.email
  } catch (cause) {
    log('The email address could not be looked up.', cause)
    return serverMessagesFor('email')
  }
}
