import { type CSSProperties, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { figures } from '#contract/figures.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { loadReceipt, type Receipt as ReceiptData } from '#web/storage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useTimeout } from '#web/useTimeout.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { type PaymentStore, pagePayment } from '../payment/pagePayment.ts'
import type { Payment } from '../payment/payment.ts'
import { Support } from '../payment/Support.tsx'
import { OfficeLogin, useOfficeLogin } from './OfficeLogin.tsx'
import { Receipt } from './Receipt.tsx'

type AccessProps = {
  paymentStore: PaymentStore & { back: () => void }
  receipt: ReceiptData | undefined
  /** How long the welcome stays. */
  seconds: number
  /** An operator's host keeps the members: there is no email of ours, and perhaps no address of the office. */
  isProvider: boolean
}

/** The welcome. Then the office opens by itself, unless the visitor stays; after a reload never. */
function Access({ paymentStore, receipt, seconds, isProvider }: AccessProps) {
  const [payment] = useState(() => pagePayment(paymentStore))
  const login = useOfficeLogin(payment)
  const { mayRedirect, isRedirecting, isLeaving, stay } = useRedirect(payment, login, seconds)
  const signInUrl = useSignInUrl(payment, isProvider)
  const isCounting = isRedirecting && login.isOnline
  useReloadAfterSignOut()
  useAskBeforeLeaving(!login.isOnline)
  return (
    <div className="access">
      <OpenDoor />
      <h1 tabIndex={-1}>
        Welcome to {brand.name}
        {receipt?.first_name && `, ${receipt.first_name}`}
      </h1>
      {brand.welcome && <p className="lead">{brand.welcome}</p>}
      {signInUrl !== undefined ? (
        <p className="lead">
          <SignInAdvice receipt={receipt} hasOffice={signInUrl !== ''} />
        </p>
      ) : (
        <p className="lead welcome" data-longest={mayRedirect ? redirecting : ''}>
          <span>{isCounting ? redirecting : ready}</span>
        </p>
      )}
      {mayRedirect && <div className="bar" style={barStyle(seconds)} hidden={!isCounting} aria-hidden="true" />}
      {signInUrl && (
        <div className="login">
          <a className="button" href={signInUrl}>
            Login
            <ArrowIcon />
          </a>
        </div>
      )}
      {signInUrl === undefined && (
        <OfficeLogin login={login} isAutomatic={isRedirecting}>
          Login
        </OfficeLogin>
      )}
      {mayRedirect && (
        <button type="button" className="link stay" hidden={!isLeaving} onClick={stay}>
          Stay on this page
        </button>
      )}
      {receipt?.after_unknown && <SecondCharge reference={receipt.after_unknown} />}
      {receipt && <Receipt receipt={receipt} isProvider={isProvider} />}
      <button type="button" className="button quiet" onClick={paymentStore.back}>
        Previous
      </button>
    </div>
  )
}

const redirecting =
  'You should be redirected to your virtual office in a moment. If nothing happens, please press Login.'
const ready = 'Your virtual office is ready. Press Login to open it.'

/** The payment was approved, but without a token for the office, or even without its address. */
const SignInAdvice = ({ receipt, hasOffice }: { receipt: ReceiptData | undefined; hasOffice: boolean }) => (
  <>
    Your payment was accepted, and you are a member.{' '}
    {hasOffice
      ? 'Please press Login and sign in to your virtual office with your username'
      : `Please look for an email from ${brand.name} that says where to sign in. You’ll need your username`}
    {receipt?.username && <strong> {receipt.username}</strong>} and your password.
    {!hasOffice && (
      <>
        {' '}
        If nothing arrives, please ask {brand.name}. <Support />
      </>
    )}
  </>
)

/** The visitor paid again, although the first payment may have gone through. */
const SecondCharge = ({ reference }: { reference: string }) => (
  <div className="second-charge">
    <Notice title="Please check for a second charge.">
      We still don’t know whether your first payment went through. If you see two charges, give {brand.name} the
      reference <code>{reference}</code>. <Support reference={reference} />
    </Notice>
  </div>
)

/**
 * Where the member has to sign in without a token; empty if we don't know. After a reload the operator's host is not asked
 * again, but the server may still know.
 */
function useSignInUrl(payment: Payment, isProvider: boolean) {
  const [url, setUrl] = useState(payment.signInUrl)
  useEffect(() => {
    if (!isProvider || payment.hasFreshGrant()) return
    payment.check().then(
      () => setUrl(payment.signInUrl()),
      (cause: unknown) => log('The office could not be looked up.', cause),
    )
  }, [payment, isProvider])
  return url
}

/** The bar fills up while the welcome stays. */
const barStyle = (seconds: number) => ({ '--redirect-delay': `${seconds}s` }) as CSSProperties

type Login = Pick<ReturnType<typeof useOfficeLogin>, 'open' | 'stopOpening' | 'isOnline' | 'status'>

/** Opens the office after a while online, unless the visitor asks to stay or prints the receipt. Scrolling is not asking. */
function useRedirect(
  { hasFreshGrant }: Pick<Payment, 'hasFreshGrant'>,
  { open, stopOpening, isOnline, status }: Login,
  seconds: number,
) {
  const [mayRedirect] = useState(hasFreshGrant)
  const [isRedirecting, setRedirecting] = useState(mayRedirect)
  const isLeaving = isRedirecting || status === 'waiting'
  const stay = () => {
    setRedirecting(false)
    stopOpening()
  }
  const onPrint = useEffectEvent(stay)
  useLayoutEffect(() => {
    if (!isLeaving && document.activeElement?.matches('.stay'))
      document.querySelector<HTMLElement>('.login .button')?.focus()
  }, [isLeaving])
  useTimeout(open, isRedirecting && isOnline ? seconds * 1000 : undefined)
  useEffect(() => {
    const print = () => onPrint()
    addEventListener('beforeprint', print)
    return () => removeEventListener('beforeprint', print)
  }, [])
  return { mayRedirect, isRedirecting, isLeaving, stay }
}

/** Without a network, the browser's error page would replace the receipt. */
function useAskBeforeLeaving(isOffline: boolean) {
  useEffect(() => {
    if (!isOffline) return
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onLeave)
    return () => removeEventListener('beforeunload', onLeave)
  }, [isOffline])
}

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

export const access = defineStep(Access, (wizard, { receipt }) => ({
  paymentStore: wizard,
  receipt,
  seconds: wizard.start.policy.access_seconds ?? figures.access_seconds,
  isProvider: wizard.start.policy.provider === true,
}))
