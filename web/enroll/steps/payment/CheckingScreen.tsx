import { useState } from 'react'
import { useTimeout } from '#web/useTimeout.ts'
import { receiptOf } from './receipt.ts'
import { Screen } from './Screen.tsx'

const USUAL_MS = 120_000

/** Nobody can say yet whether it is paid. Never says 'declined'. Who comes back to it may have changed something meanwhile. */
export function Checking({ isBack }: { isBack: boolean }) {
  const email = receiptOf()?.email // the draft may have another one by now
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), USUAL_MS)
  return (
    <Screen title="Your payment is being checked …">
      <p className="lead" role="status">
        {isLong
          ? 'This takes longer than usual: the bank may want to look at it. You need not wait here, nothing is lost.'
          : 'This usually takes a minute or two. This page goes on by itself as soon as we know.'}
      </p>
      <div className="bar" aria-hidden="true" />
      <ul className="points">
        <li>Please do not pay again. You are charged once at most.</li>
        <li>
          You may {isLong ? '' : 'also '}leave this page: as soon as we know, we write to{' '}
          {email ? <strong>{email}</strong> : 'you'}.
        </li>
        {isBack && <li>What you have changed since you paid does not count for this payment.</li>}
      </ul>
    </Screen>
  )
}
