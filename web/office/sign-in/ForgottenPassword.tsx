import { useState } from 'react'
import { officeCalls } from '#contract/office/office.ts'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { officeApi } from '../api.ts'
import { SignedOutFrame } from './SignedOutFrame.tsx'
import { NameField } from './SignIn.tsx'

/** Requests a reset link. The answer is the same for every name, so that it does not reveal who is a member. */
export function ForgottenPassword() {
  const [state, setState] = useState<'first-request' | 'sent' | 'new-request'>('first-request')
  if (state === 'sent') return <LinkSent onRetry={() => setState('new-request')} />
  return <RequestLink isRetry={state === 'new-request'} onSent={() => setState('sent')} />
}

function RequestLink({ isRetry, onSent }: { isRetry: boolean; onSent: () => void }) {
  const form = useCallForm({
    rules: officeCalls.forgetPassword.input.shape,
    send: async (values) => {
      await officeApi.forgetPassword(values)
      onSent()
    },
  })
  return (
    <SignedOutFrame
      {...(isRetry ? { result: 'success' } : {})}
      title="Forgot your password?"
      lead="Enter your username or email address, and we’ll email you a link to choose a new one."
    >
      <CallForm form={form} submitLabel="Email me a link" secondaryAction={<a href="/office">Back to sign in</a>}>
        <NameField {...form.field('name')} enterKeyHint="send" />
      </CallForm>
    </SignedOutFrame>
  )
}

const LinkSent = ({ onRetry }: { onRetry: () => void }) => (
  <SignedOutFrame
    result="success"
    title="Check your inbox"
    lead="If that username or email address belongs to a member, we’ve sent a link. It works once and expires in an hour."
  >
    <p className="aside">
      No email? Check your spam folder, or{' '}
      <button type="button" className="link" onClick={onRetry}>
        try again
      </button>
      .
    </p>
    <a className="button quiet" href="/office">
      Back to sign in
    </a>
  </SignedOutFrame>
)
