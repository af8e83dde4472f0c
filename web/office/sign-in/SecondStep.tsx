import { useEffect, useRef } from 'react'
import { officeCalls } from '#contract/office/office.ts'
import type { PendingSignIn } from '#contract/office/security.ts'
import { CodeField } from '#web/credentials/CodeField.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { officeApi } from '../api.ts'
import { redirectWithMessage, signedInPath } from '../flashMessage.ts'
import { needsCookies } from '../messages.ts'
import { PasskeySignIn } from './PasskeySignIn.tsx'

type SecondStepProps = { pending: PendingSignIn; onRestart: () => void }

/** After the right password: the second factor. */
export function SecondStep({ pending, onRestart }: SecondStepProps) {
  const { token, has_app, has_passkey } = pending
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { code } = officeCalls.signInWithCode.input.shape
  const form = useCallForm({
    rules: { code },
    send: async (values) => {
      await officeApi.signInWithCode({ ...values, token })
      redirectWithMessage(signedInPath(), needsCookies) // appears only if the member is still signed out there
    },
  })
  return (
    <div className="second-step">
      <div>
        <h2 ref={heading} tabIndex={-1}>
          One more step
        </h2>
        <p className="small">
          {has_app
            ? 'Your password is right. Enter the code that your authenticator app shows.'
            : 'Your password is right. Now use your passkey, or one of your recovery codes.'}
        </p>
      </div>
      {has_passkey && <PasskeySignIn token={token}>Use your passkey</PasskeySignIn>}
      <CallForm
        form={form}
        submitLabel="Continue"
        secondaryAction={
          <button type="button" className="link" onClick={onRestart}>
            Start again
          </button>
        }
      >
        <CodeField
          {...form.field('code')}
          {...(has_app ? {} : { label: 'Recovery code', hint: 'One of the codes you saved' })}
        />
      </CallForm>
    </div>
  )
}
