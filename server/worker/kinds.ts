import { continueInBackground, inviteInBackground } from '#server/connect/import/background.ts'
import {
  addressChangedEmail,
  cardChangedEmail,
  confirmAddressEmailFor,
  confirmCurrentAddressEmailFor,
  invitationEmailFor,
  passwordChangedEmail,
  passwordResetEmailFor,
  phoneChangedEmail,
  usernameChangedEmail,
} from '#server/emails/changes.ts'
import {
  cancellationEmail,
  consentEmail,
  referralEmail,
  resumedEmail,
  unpaidEmailFor,
  welcomeEmail,
} from '#server/emails/emails.ts'
import { holdBeganEmail, holdEndedEmail, packageStoppedEmail } from '#server/emails/membership-changes.ts'
import { cardExpiresEmail, priceChangedEmail, renewalAheadEmail, yearlyReminderEmail } from '#server/emails/notices.ts'
import { refundEmail } from '#server/emails/refunds.ts'
import {
  chargingResumedEmail,
  endedEmail,
  packageUnpaidEmail,
  renewalDeclinedEmail,
  renewalMovedEmail,
  renewedEmail,
  waivedEmail,
} from '#server/emails/renewals.ts'
import { secondFactorEmail } from '#server/emails/second-factor.ts'
import { guessesEmail, membersReadEmail, sealEmail, webhookOffEmail } from '#server/emails/staff.ts'
import { type Email, UndeliverableAddress } from '#server/gateways/mail/port.ts'
import type { JobKind, JobPayloads } from '#server/jobs/queue.ts'
import { noteBounce } from '#server/members/bounces.ts'
import { announcePrices, recordNotice } from '#server/membership/price-change.ts'
import { captureHold, voidHold } from '#server/payments/holds.ts'
import { executeRefund } from '#server/payments/refunds.ts'
import type { World } from '#server/world/world.ts'

export const NOT_SENT = Symbol('not sent')

type KindOfJob<Payload> = {
  /** Throws if the job has to be tried again. Returns NOT_SENT if there was no email to send after all. */
  run: (world: World, payload: Payload, job_id: string) => Promise<unknown>
  maxBackoffSeconds: number
  /** Without it, the job is retried until it succeeds. */
  maxTries?: number
}

type WriteEmail<Payload> = (world: World, payload: Payload) => Email | undefined | Promise<Email | undefined>

/** Writes the email when the job runs, and sends it if it is still relevant. An address that takes no email is noted. */
const email = <Payload>(
  write: WriteEmail<Payload>,
  onSent?: (world: World, payload: Payload) => Promise<unknown>,
): KindOfJob<Payload> => ({
  run: async (world, payload, job_id) => {
    const message = await write(world, payload)
    if (!message?.to) return NOT_SENT // an erased member has no address
    await world.mail.send({ ...message, key: job_id }).catch(async (error: unknown) => {
      if (error instanceof UndeliverableAddress) await noteBounce(world, message.to, error.bounce)
      throw error
    })
    return onSent?.(world, payload)
  },
  maxBackoffSeconds: 3600,
  maxTries: 100, // about four days
})

/** What each kind of job does, and how it is retried. */
export const kinds: { [Kind in JobKind]: KindOfJob<JobPayloads[Kind]> } = {
  capture: { run: captureHold, maxBackoffSeconds: 15 },
  void: { run: voidHold, maxBackoffSeconds: 15 },
  refund: { run: executeRefund, maxBackoffSeconds: 3600 }, // a part may have to wait for a day until the charge has settled
  welcome: email(welcomeEmail),
  consent: email(consentEmail),
  invitation: email(invitationEmailFor),
  referral: email(referralEmail),
  unpaid: email(unpaidEmailFor),
  cancelled: email(cancellationEmail),
  kept: email(resumedEmail),
  renewed: email(renewedEmail),
  renewal_declined: email(renewalDeclinedEmail),
  refunded: email(refundEmail),
  membership_ended: email(endedEmail),
  package_unpaid: email(packageUnpaidEmail),
  waived: email(waivedEmail),
  renewal_moved: email(renewalMovedEmail),
  charging_resumed: email(chargingResumedEmail),
  card_expires: email(cardExpiresEmail),
  yearly_reminder: email(yearlyReminderEmail),
  renewal_ahead: email(renewalAheadEmail),
  price_changed: email(priceChangedEmail, recordNotice),
  price_change: { run: announcePrices, maxBackoffSeconds: 60 },
  import: { run: continueInBackground, maxBackoffSeconds: 60 },
  invite_imported: { run: inviteInBackground, maxBackoffSeconds: 60 },
  confirm_email: email(confirmAddressEmailFor),
  confirm_address: email(confirmCurrentAddressEmailFor),
  email_changed: email(addressChangedEmail),
  password_changed: email(passwordChangedEmail),
  phone_changed: email(phoneChangedEmail),
  second_factor_changed: email(secondFactorEmail),
  card_changed: email(cardChangedEmail),
  package_stopped: email(packageStoppedEmail),
  hold_began: email(holdBeganEmail),
  hold_ended: email(holdEndedEmail),
  username_changed: email(usernameChangedEmail),
  staff_guesses: email(guessesEmail),
  audit_seal: email(sealEmail),
  members_read: email(membersReadEmail),
  webhook_off: email(webhookOffEmail),
  forgotten: { ...email(passwordResetEmailFor), maxBackoffSeconds: 60 }, // its link expires after an hour
}
