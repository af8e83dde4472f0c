import { useState } from 'react'
import { officeCalls } from '#contract/office/office.ts'
import type { PendingSignIn } from '#contract/office/security.ts'
import { MASTER } from '#contract/site.ts'
import { RejectedCall } from '#web/call.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import type { Form } from '#web/form/useForm.ts'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { officeApi } from '../api.ts'
import { redirectWithMessage, signedInPath } from '../flashMessage.ts'
import { needsCookies } from '../messages.ts'
import { PasskeySignIn } from './PasskeySignIn.tsx'
import { SecondStep } from './SecondStep.tsx'
import { SignedOutFrame } from './SignedOutFrame.tsx'

export function SignIn({ message }: { message: string | undefined }) {
  const [isTried, setTried] = useState(false)
  return (
    <SignedOutFrame title="Sign in to your office" lead="Use the username or email address you joined with.">
      <div role="status">{message && !isTried && <Notice>{message}</Notice>}</div>
      <SignInForm onTry={() => setTried(true)} />
      <p className="aside">
        Not a member yet? <a href={`/${MASTER}`}>Join here</a>
      </p>
    </SignedOutFrame>
  )
}

export function SignInForm({ onTry }: { onTry?: () => void }) {
  const [pending, setPending] = useState<PendingSignIn>()
  const form = useCallForm({
    rules: officeCalls.signIn.input.shape,
    send: async (values) => {
      onTry?.()
      const { second_factor } = await officeApi.signIn(values)
      if (second_factor) return setPending(second_factor)
      redirectWithMessage(signedInPath(), needsCookies) // appears only if the member is still signed out there
    },
  })
  if (pending) return <SecondStep pending={pending} onRestart={() => setPending(undefined)} />
  return (
    <>
      <CallForm
        form={form}
        submitLabel="Sign in"
        secondaryAction={<a href="/office/forgotten-password">Forgot your password?</a>}
        wayOut={isWrong(form.failure?.cause) && <a href="/office/forgotten-password">Reset your password</a>}
      >
        <NameField {...form.field('name')} enterKeyHint="next" />
        <PasswordField {...form.field('password')} label="Password" autoComplete="current-password" enterKeyHint="go" />
      </CallForm>
      <PasskeySignIn>Sign in with a passkey</PasskeySignIn>
    </>
  )
}

/** Not a limit or a server error: a new password wouldn't help with those. */
const isWrong = (cause: unknown) => cause instanceof RejectedCall && cause.status === 401

type NameFieldProps = ReturnType<Form['field']> & { enterKeyHint: 'next' | 'send' }

export const NameField = (field: NameFieldProps) => (
  <Field
    {...field}
    label="Username or email address"
    autoComplete="username"
    autoCapitalize="none"
    autoCorrect="off"
    spellCheck={false}
  />
)
