import { useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { monthAndYear } from '#contract/days.ts'
import { current_password } from '#contract/office/fields.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { RejectedCall } from '#web/call.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { CardFields } from '#web/form/CardFields.tsx'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { CheckIcon } from '#web/icons.tsx'
import { SubmitButton, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { officeApi } from '../api.ts'
import { isSignedOut } from '../callErrors.ts'
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
    const isPaid = membership.payment_problem && !view.membership.payment_problem
    const message = isPaid
      ? 'Your new card is on file, and your membership is paid. Thank you.'
      : 'Your new card is on file.'
    office.showSuccess({ section: 'membership', message, view, focus: 'membership' })
  }
  return (
    <div className="card-on-file" id="card">
      <h3>Card on file</h3>
      {isOpen ? (
        <CardForm office={office} onCancel={close} onDone={finish} />
      ) : (
        <p className="card-line">
          {membership.card ? describeCard(membership.card) : 'No card is stored.'}
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

const describeCard = ({ brand, last_four, expires }: NonNullable<OfficeView['membership']['card']>) =>
  `${brand} ending in ${last_four}, expires ${monthAndYear(expires)}`

type CardFormProps = { office: Office; onCancel: () => void; onDone: (view: OfficeView) => void }

function CardForm({ office: { view }, onCancel, onDone }: CardFormProps) {
  const { username: _username, current_password: notAsked, ...rules } = officeCalls.changeCard.input.shape
  const [usedCount, setUsedCount] = useState(0)
  const [needsPassword, setNeedsPassword] = useState(false)
  const form = useCallForm({
    rules: { ...rules, current_password: needsPassword ? current_password : notAsked },
    send: async (values) => {
      try {
        onDone(await officeApi.changeCard({ ...values, username: view.username }))
      } catch (cause) {
        setUsedCount((count) => count + 1)
        if (cause instanceof RejectedCall && cause.fields.current_password) flushSync(() => setNeedsPassword(true))
        throw cause
      }
    },
  })
  return (
    <form className="change-form" method="post" {...form.props}>
      <ErrorSummary entries={form.summary} />
      <p className="small">Your bank verifies the new card without a charge. Your old card stays on file until then.</p>
      <CardFields form={form} />
      {needsPassword && <CurrentPassword {...form.field('current_password')} />}
      <Captcha {...form.field('captcha')} vendor={view.captcha} usedCount={usedCount} queueWhile={form.queueWhile} />
      <ErrorNotice message={form.failure?.message}>
        {isSignedOut(form.failure?.cause) && <a href="/office">Go to the sign-in page</a>}
      </ErrorNotice>
      <div className="form-actions">
        <SubmitButton busy={form.busy} icon={<CheckIcon />}>
          Save card
        </SubmitButton>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
