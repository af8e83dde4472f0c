import { useState } from 'react'
import type { Policy } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { type Form, type Messages, useForm } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import type { Draft } from '#web/storage.ts'
import { addStyles } from '#web/style/addStyles.ts'
import { EmailText } from '#web/ui/EmailText.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { defineStep } from '../../wizard/defineStep.tsx'
import { isSameDraft } from '../../wizard/draft.ts'
import { fieldRules, guessablePassword } from '../../wizard/rules.ts'
import { StepForm } from '../../wizard/StepForm.tsx'
import { rejectedFieldsAt } from '../../wizard/state.ts'
import { useIsMounted } from '../../wizard/useIsMounted.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import css from './later.css?inline'
import { suggestEmail } from './suggestEmail.ts'
import { usernameFrom, useUsername } from './useUsername.ts'

addStyles(css)

type AccountCreationProps = {
  answers: Draft
  rejectedFields: Messages | undefined
  /** The current answers of all steps. This step may have been rendered before they were entered. */
  readDraft: () => Draft
  policy: Policy
  /** The visitor had a password before a reload. */
  isPasswordLost: boolean
  /** The visitor may already be a member: the answer to their payment was lost. */
  hasUnknownPayment: boolean
  onNext: Wizard['advance']
}

/** How the new member signs in. */
function AccountCreation(props: AccountCreationProps) {
  const { answers, rejectedFields, readDraft, policy, isPasswordLost, hasUnknownPayment, onNext } = props
  const form = useForm({
    rules: () => fieldRules.ACCOUNT_CREATION,
    values: answers,
    serverMessages: rejectedFields,
    checkedByServer: ['email', 'username'],
    crossFieldRules: (values) => ({ password: guessablePassword({ ...readDraft(), ...values }, policy) }),
    onValid: async (values): Promise<Messages | 'again' | undefined> => {
      const submitted = readDraft()
      const [emailMessages, usernameMessages] = await Promise.all([
        checkEmail(values.email, form, () => isMounted.current),
        username.check(values.username),
      ])
      if (!isMounted.current) return
      if (!isSameDraft(submitted, readDraft())) return 'again' // changed during the lookup
      if (!emailMessages && !usernameMessages) return onNext(values)
      return {
        ...(emailMessages ? { email: emailMessages } : {}),
        ...(usernameMessages ? { username: usernameMessages } : {}),
      }
    },
  })
  const username = useUsername(form)
  const [suggestion, setSuggestion] = useState<string>()
  const isMounted = useIsMounted()
  return (
    <StepForm
      step="ACCOUNT_CREATION"
      form={form}
      title="Create your account"
      lead="You’ll use this to sign in to your office."
    >
      {isPasswordLost && (
        <Notice role="status">
          For your safety we don’t keep your password and card. Please enter your password again.
        </Notice>
      )}
      {hasUnknownPayment && (
        <Notice title="We still don’t know whether your first payment went through.">
          If your email address or username is taken now, it probably did. Please check your email before you change
          them.
        </Notice>
      )}
      <Field
        {...form.field('email')}
        label="Email address"
        type="email"
        inputMode="email"
        autoComplete="email"
        enterKeyHint="next"
        hint={policy.provider ? '' : 'We’ll send your receipt and a welcome email here.'}
        onBlur={({ target }) => {
          setSuggestion(suggestEmail(target.value))
          username.propose(usernameFrom(readDraft(), target.value))
        }}
      >
        <p className="availability" role="status">
          {suggestion && <EmailSuggestion email={suggestion} onAccept={() => setSuggestion(undefined)} />}
        </p>
      </Field>
      <Field
        {...form.field('username')}
        {...username.input}
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
        hint={`Lowercase letters and numbers.${policy.provider ? '' : ' It’s also part of the link you share.'}`}
      >
        <p className={username.status.isVisible ? 'availability' : 'unseen'} role="status">
          {username.status.text}
        </p>
      </Field>
      <div className="suggestions" role="status">
        {username.suggestions.length > 0 && <UsernameSuggestions names={username.suggestions} />}
        {username.proposal && <UsernameSuggestions label="You could use:" names={[username.proposal]} />}
      </div>
      <PasswordField {...form.field('password')} label="Password" autoComplete="new-password" enterKeyHint="go" />
    </StepForm>
  )
}

/** A typo in a well-known domain. It only offers; the address may be right. */
const EmailSuggestion = ({ email, onAccept }: { email: string; onAccept: () => void }) => (
  <span>
    Did you mean{' '}
    <button
      type="button"
      className="link"
      onClick={() => {
        fillIn('email', email)
        onAccept()
      }}
    >
      <EmailText email={email} />
    </button>
    ?
  </span>
)

const UsernameSuggestions = ({ label = 'Free:', names }: { label?: string; names: string[] }) => (
  <>
    <span>{label}</span>
    {names.map((name) => (
      <button key={name} type="button" className="link" onClick={() => fillIn('username', name)}>
        {name}
      </button>
    ))}
  </>
)

/** As if the visitor had typed it. The field gets the focus, because the button is about to disappear. */
function fillIn(name: string, value: string) {
  const field = document.getElementById(name) as HTMLInputElement
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.focus()
}

/** Why the server rejects an email address. If the lookup fails, the last answer is used. */
async function checkEmail(
  email: string,
  { serverMessagesFor }: Pick<Form, 'serverMessagesFor'>,
  isWanted: () => boolean,
): Promise<string[] | undefined> {
  try {
    const reply = await api.validateEmail({ email }, { isWanted })
    return reply.email === 'Available' ? undefined : reply.email
  } catch (cause) {
    log('The email address could not be looked up.', cause)
    return serverMessagesFor('email')
  }
}

export const accountCreation = defineStep(AccountCreation, (wizard, state) => ({
  answers: state.renderedDraft,
  rejectedFields: rejectedFieldsAt('ACCOUNT_CREATION', state),
  readDraft: wizard.readDraft,
  policy: wizard.start.policy,
  isPasswordLost: state.isPasswordLost === true && !state.draft.password,
  hasUnknownPayment: state.unknownPayment !== undefined,
  onNext: wizard.advance,
}))
