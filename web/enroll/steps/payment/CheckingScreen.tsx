import { useState } from 'react'
import { EmailText } from '#web/ui/EmailText.tsx'
import { useTimeout } from '#web/useTimeout.ts'
import { Screen } from './Screen.tsx'

const USUAL_MS = 120_000

type CheckingScreenProps = {
  /** The email address of the order. The draft may have changed since. */
  email: string | undefined
  /** The visitor went to another step meanwhile, and may have changed answers. */
  hasReturned: boolean
  /** An operator's host answers soon or never, and we send no emails. */
  isProvider: boolean
}

/** The outcome of the payment is not known yet. Never says 'declined'. */
export function CheckingScreen({ email, hasReturned, isProvider }: CheckingScreenProps) {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), USUAL_MS)
  return (
    <Screen title="Your payment is being checked…">
      <p className="lead" role="status">
        {isProvider
          ? 'We’re waiting for the answer. This page updates automatically.'
          : isLong
            ? 'This is taking longer than usual. The bank may be reviewing it. You don’t need to wait here.'
            : 'This usually takes a minute or two. This page updates automatically.'}
      </p>
      <div className="bar" aria-hidden="true" />
      <ul className="points">
        <li>Please don’t pay again. {!isProvider && 'You won’t be charged twice.'}</li>
        <li>{isProvider ? 'Please keep this page open.' : <MayLeave email={email} isLong={isLong} />}</li>
        {hasReturned && <li>Changes you made after paying don’t apply to this payment.</li>}
      </ul>
    </Screen>
  )
}

const MayLeave = ({ email, isLong }: { email: string | undefined; isLong: boolean }) => (
  <>
    You can {isLong ? '' : 'also '}leave this page. We’ll email{' '}
    {email ? (
      <strong>
        <EmailText email={email} />
      </strong>
    ) : (
      'you'
    )}{' '}
    as soon as we know.
  </>
)
