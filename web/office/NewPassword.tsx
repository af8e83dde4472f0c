import { officeCalls } from '#contract/office-calls.ts'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { officeApi } from './api.ts'
import { CallForm, useCallForm } from './CallForm.tsx'
import { isExpiredLink } from './callErrors.ts'
import { ExpiredLink } from './ExpiredLink.tsx'
import { redirectWithMessage } from './flashMessage.ts'
import { linkToken, useLinkToken } from './linkToken.ts'
import { passwordMayBeReset } from './messages.ts'
import { SignedOutFrame } from './SignedOutFrame.tsx'

/** Opened from the email about a forgotten password. */
export function NewPassword() {
  const token = useLinkToken()
  const { password } = officeCalls.resetPassword.input.shape
  const form = useCallForm({
    rules: { password },
    send: async (values) => {
      await officeApi.resetPassword({ ...values, token: linkToken() })
      redirectWithMessage('/office', 'Your password has been changed. Please sign in with your new password.')
    },
  })
  const isExpired = isExpiredLink(form.failure?.cause)
  if (isExpired && form.mayHaveSucceeded)
    return (
      <ExpiredLink {...passwordMayBeReset}>
        <div className="form-actions">
          <a className="button" href="/office">
            Sign in
          </a>
          <a href="/office/forgotten-password">Request a new link</a>
        </div>
      </ExpiredLink>
    )
  if (token === '' || isExpired)
    return (
      <ExpiredLink message={form.failure?.message}>
        <a className="button" href="/office/forgotten-password">
          Request a new link
        </a>
      </ExpiredLink>
    )
  return (
    <SignedOutFrame
      title="Choose a new password"
      lead="This signs you out of every browser. You can then sign in with your new password."
    >
      <CallForm form={form} submitLabel="Save new password">
        <PasswordField {...form.field('password')} label="New password" autoComplete="new-password" enterKeyHint="go" />
      </CallForm>
    </SignedOutFrame>
  )
}
