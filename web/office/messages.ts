import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import type { Question } from '#web/dialog/ask.ts'

/** The question before a membership is cancelled: all that happens then, and when. */
export const cancelMembership = (
  { email, membership }: Pick<OfficeView, 'email' | 'membership'>,
  onConfirm: () => Promise<unknown>,
): Question => ({
  title: 'Cancel your membership?',
  text: [
    `You stay a member until ${longDay(membership.renews_on)}, the end of the month that you have paid for. On that day your link closes, and nothing more is charged.`,
    `A letter to ${email} confirms it. Until then you can change your mind here, with one press.`,
  ].join('\n\n'),
  icon: 'warning',
  confirm: 'Cancel my membership',
  cancel: 'Keep it',
  onConfirm,
})

/** Where a press says no that may have worked the time before, when nobody answered. */

const MAYBE = 'Your press before was not answered, but it may have worked.'

export const maybeChanged = `${MAYBE} Then your new password counts already.`

export const maybeSet = {
  title: 'Your new password may be set',
  sentence: `${MAYBE} Please try to sign in with your new password. If that fails, ask for another letter.`,
}

export const maybeConfirmed = {
  title: 'Your address may be confirmed',
  sentence: `${MAYBE} Your office shows which address counts.`,
}

/** Somebody was let in, and nobody is there. */
export const needsCookies =
  'Your browser has not kept that you are signed in. The office needs cookies: please allow them for this site, and sign in again.'
