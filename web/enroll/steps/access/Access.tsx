import { useEffect, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { loadReceipt, type Receipt as ReceiptData } from '#web/storage.ts'
import { useTimeout } from '#web/useTimeout.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { type PaymentStore, pagePayment } from '../payment/pagePayment.ts'
import { OfficeLogin, useOfficeLogin } from './OfficeLogin.tsx'
import { Receipt } from './Receipt.tsx'

const REDIRECT_AFTER_MS = 2_000

type AccessProps = { paymentStore: PaymentStore & { back: () => void }; receipt: ReceiptData | undefined }

/** The welcome. After two seconds the office opens by itself; after a reload only by the button. */
function Access({ paymentStore, receipt }: AccessProps) {
  const [payment] = useState(() => pagePayment(paymentStore))
  const login = useOfficeLogin(payment)
  const [isRedirecting] = useState(payment.hasFreshGrant)
  const [signInUrl] = useState(payment.signInUrl)
  useTimeout(login.open, isRedirecting ? REDIRECT_AFTER_MS : undefined)
  useReloadAfterSignOut()
  return (
    <div className="access">
      <OpenDoor />
      <h1 tabIndex={-1}>
        Welcome to {brand.name}
        {receipt?.first_name && `, ${receipt.first_name}`}
      </h1>
      <p className="lead">{signInUrl ? <SignInAdvice receipt={receipt} /> : isRedirecting ? redirecting : ready}</p>
      {isRedirecting && <div className="bar" aria-hidden="true" />}
      {signInUrl ? (
        <div className="login">
          <a className="button" href={signInUrl}>
            Login
            <ArrowIcon />
          </a>
        </div>
      ) : (
        <OfficeLogin login={login}>Login</OfficeLogin>
      )}
      {receipt && <Receipt receipt={receipt} />}
      <button type="button" className="button quiet" onClick={paymentStore.back}>
        Previous
      </button>
    </div>
  )
}

const redirecting =
  'You should be redirected to your virtual office in a moment. If nothing happens, please press Login.'
const ready = 'Your virtual office is ready. Press Login to open it.'

/** The payment was approved, but without a token for the office. */
const SignInAdvice = ({ receipt }: { receipt: ReceiptData | undefined }) => (
  <>
    Your payment was accepted, and you are a member. Please press Login and sign in to your virtual office with your
    username{receipt?.username && <strong> {receipt.username}</strong>} and your password.
  </>
)

/** Back may restore this page as it was. After a sign-out it must not show the member again. */
function useReloadAfterSignOut() {
  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && !loadReceipt() && location.reload()
    addEventListener('pageshow', onPageShow)
    return () => removeEventListener('pageshow', onPageShow)
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

export const access = defineStep(Access, (wizard, { receipt }) => ({ paymentStore: wizard, receipt }))
