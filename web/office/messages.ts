import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { isPaidOnce } from '#contract/renewal.ts'
import type { Question } from '#web/dialog/question.ts'

export const cancelMembershipQuestion = (
  { email, membership }: Pick<OfficeView, 'email' | 'membership'>,
  onConfirm: () => Promise<unknown>,
): Question => ({
  title: 'Cancel your membership?',
  text: whatCancelingDoes(email, membership),
  icon: 'warning',
  confirm: 'Cancel membership',
  isDestructive: true,
  cancel: 'Keep membership',
  onConfirm,
})

function whatCancelingDoes(
  email: string,
  { cancel_ends_on, billing_interval, lines }: OfficeView['membership'],
): string {
  const confirmation = `We’ll send a confirmation to ${email}.`
  if (cancel_ends_on)
    return [
      `Your membership stays active until ${longDay(cancel_ends_on)}, the end of the ${billing_interval} you have paid for. Your link closes on that day, and you won’t be charged again.`,
      `${confirmation} Until your membership ends, you can resume it here.`,
    ].join('\n\n')
  if (lines.length > 0 && isPaidOnce(lines))
    return [
      `Your membership is paid for. To stop only ${lines.map(({ name }) => name).join(' and ')}, keep your membership and press Stop next to it.`,
      `If you cancel, your membership ends now and your link closes. ${confirmation} You can come back later with one payment.`,
    ].join('\n\n')
  if (!lines.length)
    return `Your membership ends now, and your link closes. ${confirmation} You can come back here at no cost, unless your payment is refunded.`
  return [
    `Your membership ends now, because this ${billing_interval} isn’t paid. Your link closes, and you won’t be charged again.`,
    `${confirmation} You can come back later with one payment.`,
  ].join('\n\n')
}

type Membership = OfficeView['membership']

/** Every charge that a member starts is confirmed in a dialog that names the amount. */
const payQuestion = (price: string, text: string): Question => ({
  title: `Pay ${showAmount(price)} now?`,
  text,
  icon: 'info',
  confirm: `Pay ${showAmount(price)}`,
  cancel: 'Not now',
})

export const payDueQuestion = (price: string, billing_interval: string) =>
  payQuestion(
    price,
    `Your bank verifies your new card, and we charge ${showAmount(price)} to it right away for this ${billing_interval}.`,
  )

export const comeBackQuestion = (price: string, { card, billing_interval }: Membership) =>
  payQuestion(
    price,
    `We charge ${showAmount(price)} to ${nameOf(card)} right away, and every ${billing_interval} until you cancel.`,
  )

export const resumeQuestion = (price: string, { card, billing_interval }: Membership) =>
  payQuestion(
    price,
    `The next ${billing_interval} begins today. If you resume your membership, we charge ${showAmount(price)} to ${nameOf(card)} right away.`,
  )

const nameOf = (card: Membership['card']) => (card ? `your ${card.brand} ending in ${card.last_four}` : 'your card')

export const dropPackageQuestion = (name: string, onConfirm: () => Promise<unknown>): Question => ({
  title: `Stop ${name}?`,
  text: 'It is not charged again. Your membership continues.',
  icon: 'info',
  confirm: 'Stop it',
  cancel: 'Keep it',
  onConfirm,
})

// A call got no reply, and the next try was rejected: perhaps because the first one had worked.

const UNANSWERED = 'We didn’t get a reply to your first try, but it may have worked.'

export const passwordMayBeChanged = `${UNANSWERED} In that case your new password is already active.`

export const passwordMayBeReset = {
  title: 'Your password may have been changed',
  message: `${UNANSWERED} Try to sign in with your new password. If that fails, request a new link.`,
}

export const emailMayBeConfirmed = {
  title: 'Your email address may be confirmed',
  message: `${UNANSWERED} Your office shows the address we use.`,
}

/** Shown if the member signed in but the session cookie was not kept. */
export const needsCookies =
  'Your browser didn’t keep you signed in. The office needs cookies: please allow them for this site, and sign in again.'
