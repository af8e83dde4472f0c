import { card_last_four, officeCalls } from '#contract/office/office.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { officeApi } from '../api.ts'
import { isExpiredLink } from '../callErrors.ts'
import { redirectWithMessage } from '../flashMessage.ts'
import { passwordMayBeReset } from '../messages.ts'
import { ExpiredLink } from './ExpiredLink.tsx'
import { linkToken, useLinkToken } from './linkToken.ts'
import { SignedOutFrame } from './SignedOutFrame.tsx'

/** Opened from the email about a forgotten password. Whoever has not confirmed that address also proves that they know the card. */
export function NewPassword({ asksCard }: { asksCard?: true | undefined }) {
  const token = useLinkToken()
  const { password, card_last_four: notAsked } = officeCalls.resetPassword.input.shape
  const form = useCallForm({
    rules: { password, card_last_four: asksCard ? card_last_four : notAsked },
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
        <PasswordField
          {...form.field('password')}
          label="New password"
          autoComplete="new-password"
          enterKeyHint={asksCard ? 'next' : 'go'}
        />
        {asksCard && (
          <Field
            {...form.field('card_last_four')}
            label="Last four digits of your card"
            inputMode="numeric"
            maxLength={4}
            autoComplete="off"
            enterKeyHint="go"
            hint="The card that pays for your membership. We ask because your email address isn’t confirmed yet."
          />
        )}
      </CallForm>
    </SignedOutFrame>
  )
}
