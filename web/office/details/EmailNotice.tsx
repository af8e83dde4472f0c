import type { OfficeView } from '#contract/office/view.ts'
import { EmailText } from '#web/ui/EmailText.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { openDetail } from './Details.tsx'
import { SendEmailLink } from './SendEmailLink.tsx'

/** At the top of the office: the address is not confirmed, or takes no email. */
export function EmailNotice({ view }: { view: OfficeView }) {
  const { email, email_notice } = view
  if (!email_notice) return null
  if (email_notice === 'undeliverable')
    return (
      <Notice tone="alert" title="We can’t deliver email to your address">
        The mail server says that{' '}
        <bdi>
          <EmailText email={email} />
        </bdi>{' '}
        doesn’t accept email. Please check the address: receipts and password links go there.
        <div className="notice-actions">
          <CorrectAddress label="Change the address" />
        </div>
      </Notice>
    )
  return (
    <Notice title="Please confirm your email address">
      Open the link in the email that we sent to{' '}
      <bdi>
        <EmailText email={email} />
      </bdi>
      . Until then, we ask for the last four digits of your card if you need a new password.
      <div className="notice-actions">
        <SendEmailLink view={view} label="Send the link again" />
        <CorrectAddress label="Correct the address" />
      </div>
    </Notice>
  )
}

const CorrectAddress = ({ label }: { label: string }) => (
  <button type="button" className="link" onClick={() => openDetail('email')}>
    {label}
  </button>
)
