import { useState } from 'react'
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

type CardFormProps = { office: Office; onCancel: () => void; onDone: (view: OfficeView) => void }

/** A new card. If something is past due, it's charged right away, and the button says how much. */
export function CardForm({ office, onCancel, onDone }: CardFormProps) {
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
          Not now
        </button>
      </div>
    </form>
  )
}
