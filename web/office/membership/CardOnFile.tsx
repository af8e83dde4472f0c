import { useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { monthAndYear } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { current_password } from '#contract/office/fields.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { ask } from '#web/dialog/ask.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { CardFields } from '#web/form/CardFields.tsx'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { CheckIcon } from '#web/icons.tsx'
import { SubmitButton, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { officeApi } from '../api.ts'
import { isSignedOut } from '../callErrors.ts'
import { payDueQuestion } from '../messages.ts'
import type { Office } from '../useOffice.ts'

/** The card that pays for the membership, and a form to replace it. Emails link to #card, which opens the form. */
export function CardOnFile({ office }: { office: Office }) {
  const { membership } = office.view
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    office.clearSuccess()
    flushSync(() => setOpen(true))
    document.getElementById('cc_number')?.focus()
  }
  const openIfLinked = useEffectEvent(() => {
    if (location.hash === '#card') queueMicrotask(open) // flushSync is not allowed inside an effect
  })
  useEffect(() => {
    openIfLinked()
    addEventListener('hashchange', openIfLinked)
    return () => removeEventListener('hashchange', openIfLinked)
  }, [])
  const close = () => {
    forgetLink()
    flushSync(() => setOpen(false))
    document.getElementById('change-card')?.focus()
  }
  const finish = (view: OfficeView) => {
    forgetLink()
    setOpen(false)
    office.showSuccess({ section: 'membership', view, focus: 'membership', ...savedCard(membership, view.membership) })
  }
  return (
    <div className="card-on-file" id="card">
      <h3>Card on file</h3>
      {isOpen ? (
        <CardForm office={office} onCancel={close} onDone={finish} />
      ) : (
        <p className="card-line">
          <span>{membership.card ? describeCard(membership.card) : 'No card is stored.'}</span>
          <button type="button" className="link" id="change-card" onClick={open}>
            {membership.card ? 'Update' : 'Add'}
            <span className="unseen"> card</span>
          </button>
        </p>
      )}
    </div>
  )
}

/** So that the same link works again, and a reload does not open the form. */
const forgetLink = () => {
  if (location.hash === '#card') history.replaceState(history.state, '', location.pathname)
}

type Membership = OfficeView['membership']

const describeCard = ({ brand, last_four, expires }: NonNullable<Membership['card']>) =>
  `${brand} ending in ${last_four}, expires ${monthAndYear(expires)}`

/** What to say once the card is on file, and charged if something was due. */
function savedCard(before: Membership, after: Membership): { message: string; isProblem?: boolean } {
  const due = before.card_charge
  if (!due) return { message: 'Your new card is on file.' }
  const problem = after.payment_problem
  if (!problem) return { message: 'Your new card is on file, and your membership is paid. Thank you.' }
  if (problem.is_checking)
    return {
      message: `Your new card is on file. Your bank hasn't confirmed the ${showAmount(due)} yet. We keep asking.`,
    }
  const message = `Your new card is on file, but your bank declined ${showAmount(due)}. Nothing was charged. Please try a different card.`
  return { message, isProblem: true }
}

type CardFormProps = { office: Office; onCancel: () => void; onDone: (view: OfficeView) => void }

function CardForm({ office, onCancel, onDone }: CardFormProps) {
  const { view, needsPassword } = office
  const { card_charge, billing_interval } = view.membership
  const {
    username: _username,
    shown_price: _shown,
    current_password: notAsked,
    ...rules
  } = officeCalls.changeCard.input.shape
  const [usedCount, setUsedCount] = useState(0)
  const form = useCallForm({
    rules: { ...rules, current_password: needsPassword ? current_password : notAsked },
    send: async (values) => {
      if (card_charge && !(await ask(payDueQuestion(card_charge, billing_interval))).confirmed) return
      const shown = card_charge ? { shown_price: card_charge } : {}
      try {
        onDone(await office.charge(officeApi.changeCard({ ...values, ...shown, username: view.username })))
      } catch (cause) {
        setUsedCount((count) => count + 1)
        throw cause
      }
    },
  })
  return (
    <form className="change-form" method="post" {...form.props}>
      <ErrorSummary entries={form.summary} />
      <p className="small">
        {card_charge
          ? `Your bank verifies the new card, and we charge ${showAmount(card_charge)} to it right away for this ${billing_interval}.`
          : 'Your bank verifies the new card without a charge.'}{' '}
        Your old card stays on file until then.
      </p>
      <CardFields form={form} />
      {needsPassword && <CurrentPassword {...form.field('current_password')} />}
      <Captcha {...form.field('captcha')} vendor={view.captcha} usedCount={usedCount} queueWhile={form.queueWhile} />
      <ErrorNotice message={form.failure?.message}>
        {isSignedOut(form.failure?.cause) && <a href="/office">Go to the sign-in page</a>}
      </ErrorNotice>
      <div className="form-actions">
        <SubmitButton busy={form.busy} icon={<CheckIcon />}>
          {card_charge ? `Save card and pay ${showAmount(card_charge)}` : 'Save card'}
        </SubmitButton>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
