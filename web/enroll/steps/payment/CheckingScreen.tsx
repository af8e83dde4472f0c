import { useState } from 'react'
import { useTimeout } from '#web/useTimeout.ts'
import { Screen } from './Screen.tsx'

const USUAL_MS = 120_000

type CheckingScreenProps = {
  /** The address of the order: the draft may have changed since. */
  email: string | undefined
  /** The visitor went to another step meanwhile, and may have changed answers. */
  hasReturned: boolean
}

/** The outcome of the payment is not known yet. Never says 'declined'. */
export function CheckingScreen({ email, hasReturned }: CheckingScreenProps) {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), USUAL_MS)
  return (
    <Screen title="Your payment is being checked …">
      <p className="lead" role="status">
        {isLong
          ? 'This is taking longer than usual: the bank may want to review it. You don’t need to wait here. Nothing is lost.'
          : 'This usually takes a minute or two. This page continues by itself as soon as we know.'}
      </p>
      <div className="bar" aria-hidden="true" />
      <ul className="points">
        <li>Please do not pay again. You are charged at most once.</li>
        <li>
          You can {isLong ? '' : 'also '}leave this page. As soon as we know, we’ll email{' '}
          {email ? <strong>{email}</strong> : 'you'}.
        </li>
        {hasReturned && <li>Changes you made after paying do not apply to this payment.</li>}
      </ul>
    </Screen>
  )
}
