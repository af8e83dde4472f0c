import { useEffect, useEffectEvent } from 'react'
import { showAmount } from '#contract/money.ts'
import { Unsummed } from '#web/enroll/order/OrderSummary.tsx'
import { monthly } from '#web/enroll/wizard/draft.ts'
import { asked } from '#web/enroll/wizard/rules.ts'
import { StepForm } from '#web/enroll/wizard/StepForm.tsx'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { useForm } from '#web/form/useForm.ts'
import { Address } from './Address.tsx'
import { Agreements } from './Agreements.tsx'
import { Card } from './Card.tsx'
import { Checking } from './CheckingScreen.tsx'
import { Paid } from './PaidScreen.tsx'
import { acrossPayment, payloadOf, ships } from './payload.ts'
import { Review } from './Review.tsx'
import { Screen } from './Screen.tsx'
import { Shipping } from './Shipping.tsx'
import { useDocuments } from './useDocuments.ts'
import { usePayment } from './usePayment.ts'

/** Nobody agrees to what cannot be read yet. */
const unread = {
  loading: 'The documents are still being loaded. Please try again in a moment.',
  failed: 'The documents could not be loaded.',
  here: 'The documents could not be loaded.', // none of them is for checkout
}

/** The bill, the card, and the agreements. */
export function Payment({ wizard }: { wizard: Wizard }) {
  const { grand_total } = wizard
  const { view, isBack, news, captcha, pay } = usePayment(wizard)
  const documents = useDocuments()
  const form = useForm({
    rules: () => asked.PAYMENT,
    values: wizard.draft,
    crossFieldRules: (found) => ({
      ...acrossPayment(found, new Date()),
      ...(documents.list.length ? {} : { agreement_1: unread[documents.state] }),
    }),
    onValid: async (answers) => {
      if (grand_total === undefined) return void (await wizard.sumAgain()) // nobody pays a price they have not seen
      const refused = await pay(payloadOf(wizard, documents.list, answers))
      if (refused?.agreement_1) {
        documents.fetchAgain()
        untick('agreement_1') // what was agreed to is not what is there now
      }
      return refused
    },
  })
  const readAgain = useEffectEvent(() => form.props.onInput())
  useEffect(() => {
    if (documents.state !== 'loading') readAgain() // a message that said so is no longer true
  }, [documents.state])
  if (view === 'paid') return <Paid />
  if (view === 'checking') return <Checking isBack={isBack} />
  if (view === 'arriving') return <Arriving />
  const today = grand_total === undefined ? undefined : showAmount(grand_total)
  return (
    <StepForm
      wizard={wizard}
      step="PAYMENT"
      form={form}
      title="Billing & checkout"
      lead={
        <>
          You pay {today ?? <Unsummed />} today and {monthly} each month until you cancel, in one step, in your office.
        </>
      }
      {...(today ? { amount: today } : {})}
    >
      <Review wizard={wizard} />
      <Address form={form} />
      {ships(wizard) && <Shipping form={form} />}
      <Card form={form} news={news} />
      <Agreements form={form} documents={documents} />
      <Captcha
        key={captcha.refused}
        vendor={wizard.start.captcha}
        {...form.field('captcha')}
        {...(captcha.refused ? { defaultValue: '' } : {})}
        used={captcha.used}
        busyWhile={form.busyWhile}
      />
    </StepForm>
  )
}

function untick(name: string) {
  const box = document.getElementById(name)
  if (box instanceof HTMLInputElement) box.checked = false
}

/** A reload in the middle of a payment: the shape of what comes. */
const Arriving = () => (
  <Screen title="One moment, please">
    <p className="lead">We are looking up your payment.</p>
    <div className="shapes" aria-hidden="true">
      <div className="shape" />
      <div className="shape" />
    </div>
  </Screen>
)
