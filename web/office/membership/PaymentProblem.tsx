import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { Notice } from '#web/ui/Notice.tsx'

/** Everything that renews can be stopped, so the membership itself is paid. */
export const isPaidOnce = (lines: OfficeView['membership']['lines']) => lines.every(({ can_stop }) => can_stop)

/** A declined charge, at the top of the office: what happened, what happens next, and the one thing to do. */
export function PaymentProblem({ membership }: Pick<OfficeView, 'membership'>) {
  const { payment_problem, billing_interval, is_on_hold, is_over } = membership
  if (!payment_problem || is_on_hold || is_over) return null
  const { price, is_checking, needs_new_card, retry_on, ends_on } = payment_problem
  if (is_checking)
    return (
      <Notice title="Your payment is being checked">
        Your bank has not answered yet whether {showAmount(price)} could be charged for this {billing_interval}. We keep
        asking, and you are never charged twice. There is nothing to do.
      </Notice>
    )
  return (
    <Notice tone="alert" title="Your payment did not go through">
      Your bank declined {showAmount(price)} for this {billing_interval}. Nothing was charged.{' '}
      {needs_new_card || !retry_on
        ? `Please update your card: we’ll charge the new one right away. Without a new card, ${isPaidOnce(membership.lines) ? 'your package stops' : 'your membership ends'} on ${longDay(ends_on)}.`
        : `We'll try again on ${longDay(retry_on)}. If you update your card, we'll charge it right away.`}
      <a className="button" href="#card">
        Update your card
      </a>
    </Notice>
  )
}
