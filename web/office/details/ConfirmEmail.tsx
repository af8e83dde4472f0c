import { useState } from 'react'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { EmailText } from '#web/ui/EmailText.tsx'
import { officeApi } from '../api.ts'
import { isExpiredLink } from '../callErrors.ts'
import { emailMayBeConfirmed } from '../messages.ts'
import { ExpiredLink } from '../sign-in/ExpiredLink.tsx'
import { linkToken, useLinkToken } from '../sign-in/linkToken.ts'
import { SignedOutFrame } from '../sign-in/SignedOutFrame.tsx'

/** Opened from the welcome email, or from the email to a new address. Asks for a click, because mail scanners open every link. */
export function ConfirmEmail() {
  const token = useLinkToken()
  const [email, setEmail] = useState<string>()
  const form = useCallForm({
    rules: {},
    send: async () => setEmail((await officeApi.confirmEmail({ token: linkToken() })).email),
  })
  const isExpired = isExpiredLink(form.failure?.cause)
  if (email)
    return (
      <SignedOutFrame
        result="success"
        title="Your email address is confirmed"
        lead={
          <>
            We’ll send your email to <EmailText email={email} />.
          </>
        }
      >
        {officeLink}
      </SignedOutFrame>
    )
  if (isExpired && form.mayHaveSucceeded) return <ExpiredLink {...emailMayBeConfirmed}>{officeLink}</ExpiredLink>
  if (token === '' || isExpired) return <ExpiredLink message={form.failure?.message}>{officeLink}</ExpiredLink>
  return (
    <SignedOutFrame
      title="Confirm your email address"
      lead="Press the button to confirm that the email with this link reached you."
    >
      <CallForm form={form} submitLabel="Confirm email address" />
    </SignedOutFrame>
  )
}

const officeLink = (
  <a className="button" href="/office">
    Go to your office
  </a>
)
