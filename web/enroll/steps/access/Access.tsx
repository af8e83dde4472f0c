import { useEffect, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { ourPayment } from '#web/enroll/steps/payment/ourPayment.ts'
import { receiptOf } from '#web/enroll/steps/payment/receipt.ts'
import { loadReceipt } from '#web/storage.ts'
import { useTimeout } from '#web/useTimeout.ts'
import { Login, useLogin } from './OfficeLogin.tsx'
import { Receipt } from './Receipt.tsx'

const SEEN_FOR = 2_000

/** Welcome. Seen for about two seconds, then the office opens by itself; Login does it by hand. */
export function Access() {
  const login = useLogin()
  const receipt = receiptOf()
  const [leaving] = useState(ourPayment().isWelcome) // a reload, or a way back from the office, stays
  useTimeout(login.open, leaving ? SEEN_FOR : undefined)
  useForgotten()
  return (
    <div className="access">
      <OpenDoor />
      <h1 id="heading" tabIndex={-1}>
        Welcome to {brand.name}
        {receipt?.first_name && `, ${receipt.first_name}`}
      </h1>
      <p className="lead">
        {leaving
          ? 'You should be redirected to your virtual office in a moment. If nothing happens, please press Login.'
          : 'Your virtual office is open. Press Login to go there.'}
      </p>
      {leaving && <div className="bar" aria-hidden="true" />}
      <Login login={login}>Login</Login>
      {receipt && <Receipt receipt={receipt} />}
    </div>
  )
}

/** A browser may bring the whole page back as it was. Who has signed out since is not shown again. */
function useForgotten() {
  useEffect(() => {
    const seen = ({ persisted }: PageTransitionEvent) => persisted && !loadReceipt() && location.reload()
    addEventListener('pageshow', seen)
    return () => removeEventListener('pageshow', seen)
  }, [])
}

/** The brand's archway, with the lights on. */
const OpenDoor = () => (
  <svg className="arrival" viewBox="0 0 128 88" aria-hidden="true" focusable="false">
    <path className="arrival-rays" d="M64 4v8M33 14l5 7M95 14l-5 7M13 38l8 3M115 38l-8 3" />
    <path className="arrival-wall" d="M34 84V50a30 30 0 0 1 60 0v34z" />
    <path className="arrival-light" d="M44 84V51a20 20 0 0 1 40 0v33z" />
    <path className="arrival-tick" d="m55 56 6.500 6.500L74 48" />
    <path className="arrival-floor" d="M14 85h100" />
  </svg>
)
