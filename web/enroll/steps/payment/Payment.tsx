import { useEffect, useEffectEvent, useRef } from 'react'
import { isRenewalKnown } from '#contract/legal.ts'
import { showAmount } from '#contract/money.ts'
import { intervalOf } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { useForm } from '#web/form/useForm.ts'
import type { Draft, Receipt } from '#web/storage.ts'
import { PendingAmount } from '../../order/OrderSummary.tsx'
import { chosenPackages, renewalPrice } from '../../order/order.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { fieldRules } from '../../wizard/rules.ts'
import { StepForm } from '../../wizard/StepForm.tsx'
import type { Wizard } from '../../wizard/wizard.ts'
import { Address } from './Address.tsx'
import { Agreements } from './Agreements.tsx'
import { Card } from './Card.tsx'
import { CheckingScreen } from './CheckingScreen.tsx'
import { OfflineNotice } from './OfflineNotice.tsx'
import type { PaymentNews } from './outcome.ts'
import { PaidScreen } from './PaidScreen.tsx'
import { PayingStatus } from './PayingStatus.tsx'
import { consentOf, payloadOf, paymentProblems } from './payload.ts'
import { Review } from './Review.tsx'
import { unknownPaymentOf } from './receipt.ts'
import { Screen } from './Screen.tsx'
import { Shipping } from './Shipping.tsx'
import { UnknownScreen } from './UnknownScreen.tsx'
import { useDocuments } from './useDocuments.ts'
import { usePayment } from './usePayment.ts'

/** Shown at the agreement checkbox while there are no documents. */
const noDocuments = {
  loading: 'The documents are still loading. Please try again in a moment.',
  failed: 'The documents could not be loaded.',
  loaded: 'The documents could not be loaded.', // none of them is for checkout
}

type PaymentProps = {
  wizard: Wizard
  draft: Draft
  packages: StartData['packages']
  grand_total: string | undefined
  isStopped: boolean
  receipt: Receipt | undefined
  paymentNews: PaymentNews | undefined
  joinedAs: string | undefined
  /** The reference of an earlier payment with an unknown outcome. */
  unknownPayment: string | undefined
}

/** The billing address, the card and the agreements. */
function Payment(props: PaymentProps) {
  const { wizard, draft, packages, grand_total, isStopped, receipt, paymentNews, joinedAs, unknownPayment } = props
  const { payment, view, hasReturned, captcha, networkWait, isPaying, pay, tryAgain } = usePayment(wizard, paymentNews)
  const isProvider = wizard.start.policy.provider === true
  const documents = useDocuments()
  const hasDocuments = documents.list.length > 0 || (isProvider && documents.state === 'loaded') // a host may have none
  const form = useForm({
    rules: () => fieldRules.PAYMENT,
    values: draft,
    crossFieldRules: (values) => ({
      ...paymentProblems(values, new Date()),
      ...(hasDocuments ? {} : { agreement_1: noDocuments[documents.state] }),
    }),
    onValid: async (values) => {
      if (grand_total === undefined) return void (await wizard.retryTotal()) // never charge a price that was not shown
      const rejectedFields = await pay(payloadOf(wizard, documents.list, values))
      if (rejectedFields?.agreement_1) {
        documents.fetchAgain()
        uncheck('agreement_1') // the documents have changed
      }
      if (rejectedFields?.agreement_2) uncheck('agreement_2')
      return rejectedFields
    },
  })
  const checkAgain = useEffectEvent(() => form.props.onInput())
  useEffect(() => {
    if (documents.state !== 'loading') checkAgain() // removes the message that they are still loading
  }, [documents.state])
  const consent = consentOf({ draft, packages, grand_total })
  useChange(consent, () => uncheck('agreement_2'))
  if (view === 'paid' || joinedAs !== undefined)
    return <PaidScreen payment={payment} receipt={receipt} joinedAs={joinedAs} />
  if (view === 'checking')
    return <CheckingScreen email={receipt?.email} hasReturned={hasReturned} isProvider={isProvider} />
  if (view === 'unknown' && unknownPayment !== undefined)
    return (
      <UnknownScreen
        reference={unknownPayment}
        receipt={receipt}
        time_zone={wizard.start.time_zone}
        onTryAgain={tryAgain}
      />
    )
  if (view === 'loading') return <LoadingScreen />
  const amount = grand_total === undefined ? undefined : showAmount(grand_total)
  const chosen = chosenPackages(draft, packages)
  return (
    <StepForm
      step="PAYMENT"
      form={form}
      title="Billing & checkout"
      lead={
        isRenewalKnown(chosen) ? (
          <>
            You pay {amount ?? <PendingAmount />} today and {showAmount(renewalPrice(chosen))} each {intervalOf(chosen)}{' '}
            until you cancel. You can cancel in your office in one step.
          </>
        ) : (
          <>
            You pay {amount ?? <PendingAmount />} today.{' '}
            {documents.list.length > 0 && 'The documents below say what you pay later.'}
          </>
        )
      }
      {...(amount ? { amount } : {})}
      notice={
        <>
          {networkWait && <OfflineNotice wait={networkWait} isProvider={isProvider} />}
          <PayingStatus isPaying={isPaying} isOffline={Boolean(networkWait)} isProvider={isProvider} />
        </>
      }
    >
      <Review draft={draft} chosen={chosen[0]} isStopped={isStopped} onEdit={wizard.returnTo} />
      <Address form={form} />
      {chosen.some(({ ships }) => ships) && <Shipping form={form} />}
      <Card form={form} news={paymentNews} unknownPayment={unknownPayment} />
      <Agreements form={form} documents={documents} consent={consent} />
      <Captcha
        key={captcha.rejectedCount}
        vendor={wizard.start.captcha}
        {...form.field('captcha')}
        {...(captcha.rejectedCount ? { defaultValue: '' } : {})}
        usedCount={captcha.usedCount}
        queueWhile={form.queueWhile}
      />
    </StepForm>
  )
}

/** Runs when a value differs from the one before. */
function useChange(value: string, run: () => void) {
  const last = useRef(value)
  const onChange = useEffectEvent(run)
  useEffect(() => {
    if (last.current === value) return
    last.current = value
    onChange()
  }, [value])
}

function uncheck(name: string) {
  const box = document.getElementById(name)
  if (box instanceof HTMLInputElement) box.checked = false
}

const LoadingScreen = () => (
  <Screen title="One moment, please">
    <p className="lead">We are looking up your payment.</p>
    <div className="shapes" aria-hidden="true">
      <div className="shape" />
      <div className="shape" />
    </div>
  </Screen>
)

export const payment = defineStep(Payment, (wizard, { stop, ...state }) => ({
  wizard,
  draft: state.draft,
  packages: state.packages,
  grand_total: state.grand_total,
  isStopped: stop === 'total-not-loaded',
  receipt: state.receipt,
  paymentNews: state.paymentNews,
  joinedAs: state.joinedAs,
  unknownPayment: unknownPaymentOf(state),
}))
