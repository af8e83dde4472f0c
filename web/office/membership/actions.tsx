import { consentText } from '#contract/legal.ts'
import { showAmount } from '#contract/money.ts'
import { current_password } from '#contract/office/fields.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { ask } from '#web/dialog/ask.ts'
import type { Question } from '#web/dialog/question.ts'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { log } from '#web/log.ts'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { cancelMembershipQuestion, comeBackQuestion, dropPackageQuestion, resumeQuestion } from '../messages.ts'
import type { Office } from '../useOffice.ts'

/** Asks, and makes the call while the dialog is open. Returns the new data, or nothing if the member decided against it. */
async function confirmAndCall(
  toQuestion: (onConfirm: () => Promise<void>) => Question,
  call: () => Promise<OfficeView>,
): Promise<OfficeView | undefined> {
  let view: OfficeView | undefined
  const question = toQuestion(async () => {
    view = await redirectIfSignedOut(call()).catch((cause: unknown) => {
      throw new Error(errorMessage(cause), { cause })
    })
  })
  const { confirmed } = await ask(question)
  return confirmed ? view : undefined
}

export function DropButton({ office, line }: { office: Office; line: OfficeView['membership']['lines'][number] }) {
  const drop = async () => {
    office.clearSuccess()
    const { username } = office.view
    const { product_id } = line
    const view = await confirmAndCall(
      (onConfirm) => dropPackageQuestion(line.name, onConfirm),
      () => officeApi.dropPackage({ username, product_id }),
    )
    if (view)
      office.showSuccess({ section: 'membership', message: `${line.name} is stopped.`, view, focus: 'membership' })
  }
  return (
    <button
      type="button"
      className="link"
      aria-haspopup="dialog"
      onClick={() => drop().catch((cause: unknown) => log('The dialog could not be shown.', cause))}
    >
      Stop<span className="unseen"> {line.name}</span>
    </button>
  )
}

/** Coming back is a payment, so the price is on the button. */
export function ComeBack({ office, price }: { office: Office; price: string }) {
  const { needsPassword, view: shown } = office
  const { username, membership } = shown
  const { billing_interval } = membership
  const isPaid = membership.lines.length > 0
  const { current_password: notAsked } = officeCalls.comeBack.input.shape
  const form = useCallForm({
    rules: { current_password: needsPassword ? current_password : notAsked },
    send: async (values) => {
      office.clearSuccess()
      if (isPaid && !(await ask(comeBackQuestion(price, membership))).confirmed) return
      const call = officeApi.comeBack({ username, shown_price: price, ...values })
      const view = await office.charge(redirectIfSignedOut(call))
      const message = view.membership.is_over
        ? 'We’re checking your payment. We’ll email you as soon as we know.'
        : 'Welcome back. Your membership and your link work again.'
      office.showSuccess({ section: 'membership', message, view, focus: 'membership' })
    },
  })
  return (
    <div className="come-back" id="come-back">
      <CallForm
        form={form}
        submitLabel={isPaid ? `Come back for ${showAmount(price)} a ${billing_interval}` : 'Come back'}
      >
        {isPaid && <p className="small">{consentText(price, price, billing_interval)}</p>}
        {needsPassword && <CurrentPassword {...form.field('current_password')} />}
      </CallForm>
    </div>
  )
}

export function CancelButton({ office }: { office: Office }) {
  const { showSuccess, clearSuccess } = office
  const cancel = async () => {
    clearSuccess()
    const view = await confirmAndCall(
      (onConfirm) => cancelMembershipQuestion(office.view, onConfirm),
      () => {
        const { username, membership } = office.view
        return officeApi.cancelMembership({ username, shown_end: membership.cancel_ends_on ?? '' })
      },
    )
    if (view)
      showSuccess({
        section: 'membership',
        message: 'Your membership is canceled. We’ve emailed you a confirmation.',
        view,
        focus: 'membership',
      })
  }
  return (
    <button
      type="button"
      className="button quiet"
      aria-haspopup="dialog"
      onClick={() => cancel().catch((cause: unknown) => log('The cancellation dialog could not be shown.', cause))}
    >
      Cancel membership
    </button>
  )
}

/** Undoes a cancellation. On the renewal day that charges the next month, so the amount is on the button and in a dialog. */
export function ResumeButton({ office }: { office: Office }) {
  const { username, membership } = office.view
  const { resume_charge } = membership
  const { button, error } = useAction(async () => {
    office.clearSuccess()
    const shown = resume_charge ? { shown_price: resume_charge } : {}
    const view = await office.charge(redirectIfSignedOut(officeApi.keepMembership({ username, ...shown })))
    const receipt = resume_charge ? ` We’ll email you a receipt for ${showAmount(resume_charge)}.` : ''
    const message = `Your membership has been resumed.${receipt}`
    office.showSuccess({ section: 'membership', message, view, focus: 'membership' })
  })
  const run = async () => {
    if (!resume_charge || (await ask(resumeQuestion(resume_charge, membership))).confirmed) await button.run()
  }
  return (
    <div id="resume">
      <ErrorNotice message={error} />
      <ActionButton busy={button.busy} run={run}>
        {resume_charge ? `Resume and pay ${showAmount(resume_charge)}` : 'Resume membership'}
      </ActionButton>
    </div>
  )
}
