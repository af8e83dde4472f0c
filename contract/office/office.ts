import * as z from 'zod/mini'
import type { Call } from '#contract/api.ts'
import { fields } from '#contract/fields.ts'
import { current_password, existingPassword } from './fields.ts'
import { officeSecurityCalls, PendingSignIn } from './security.ts'
import { OfficeView } from './view.ts'

/** The calls of the member's office. In a file of their own, so that the enrollment page does not load them. */

const nothing = z.object({})
/** The member on the screen. Another member may have signed in since, in another tab. */
const memberOnScreen = z.object({ username: fields.username })
const BAD_PRICE = 'Please send the price that the page showed, such as 99.00.'
const shownPrice = z.string(BAD_PRICE).check(z.regex(/^\d+\.\d{2}$/, BAD_PRICE))
/** The amount that the button named, and the dialog. Absent: it named none, and nothing may be charged. */
const shownCharge = { shown_price: z.optional(shownPrice) }

const token = z.string('The token is missing.').check(z.maxLength(2000, 'This token is not valid.'))

/** Asked for if the member's email address is not confirmed. */
const FOUR_DIGITS = 'Please enter the last four digits of your card.'
export const card_last_four = z.string(FOUR_DIGITS).check(z.trim(), z.regex(/^\d{4}$/, FOUR_DIGITS))

/** A picture that cannot be read, or is larger than any that our page sends. */
const BAD_PICTURE = 'This is not a picture that we can show. Please choose another one.'
/** At most 45 kB as base64, which is what fits into a call. */
export const PICTURE_MAX_LENGTH = 60_000
export const picture = z
  .string(BAD_PICTURE)
  .check(z.minLength(1, BAD_PICTURE), z.maxLength(PICTURE_MAX_LENGTH, BAD_PICTURE), z.base64(BAD_PICTURE))

export const officeCalls = {
  ...officeSecurityCalls,
  enterOffice: {
    method: 'POST',
    path: '/office/session',
    summary: 'Sign in to the office with a one-time grant',
    input: z.object({ token }),
    output: nothing,
  },
  signIn: {
    method: 'POST',
    path: '/office/sign-in',
    summary: 'Sign in to the office with a username or email address and a password',
    input: z.object({ name: fields.name, password: existingPassword('Please enter your password.') }),
    output: z.object({ second_factor: z.optional(PendingSignIn) }),
  },
  leaveOffice: {
    method: 'POST',
    path: '/office/sign-out',
    summary: 'Sign out of the office',
    input: nothing,
    output: nothing,
  },
  leaveEverywhere: {
    method: 'POST',
    path: '/office/sign-out-everywhere',
    summary: 'Sign out of the office in every browser',
    input: nothing,
    output: nothing,
  },
  getOffice: {
    method: 'GET',
    path: '/office/view',
    summary: 'Get everything the office shows about a member',
    input: nothing,
    output: OfficeView,
  },
  getAcceptedText: {
    method: 'GET',
    path: '/office/accepted/:sha256',
    summary: 'Get the exact text that the member accepted',
    input: z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'This is not a SHA-256 hash.')) }),
    output: z.object({ content: z.string() }),
  },
  changeName: {
    method: 'POST',
    path: '/office/name',
    summary: 'Change the name, which visitors see on the member’s page',
    input: z.object({
      ...memberOnScreen.shape,
      first_name: fields.first_name,
      last_name: fields.last_name,
      business_name: fields.business_name,
    }),
    output: OfficeView,
  },
  changeUsername: {
    method: 'POST',
    path: '/office/username',
    summary: 'Change the username and the link; the old link leads to the new one',
    input: z.object({ username: fields.username, current_password }),
    output: OfficeView,
  },
  changePicture: {
    method: 'POST',
    path: '/office/picture',
    summary: 'Set the picture on the member’s page: a square JPEG as base64',
    input: z.object({ ...memberOnScreen.shape, picture }),
    output: OfficeView,
  },
  removePicture: {
    method: 'POST',
    path: '/office/picture/remove',
    summary: 'Remove the picture',
    input: memberOnScreen,
    output: OfficeView,
  },
  changeJoinEmails: {
    method: 'POST',
    path: '/office/join-emails',
    summary: 'Switch the email about new referrals on or off',
    input: z.object({ ...memberOnScreen.shape, join_emails: z.boolean('This must be true or false.') }),
    output: OfficeView,
  },
  changeRenewalEmails: {
    method: 'POST',
    path: '/office/renewal-emails',
    summary: 'Switch the email three days before each charge on or off',
    input: z.object({ ...memberOnScreen.shape, renewal_emails: z.boolean('This must be true or false.') }),
    output: OfficeView,
  },
  changePhone: {
    method: 'POST',
    path: '/office/phone',
    summary: 'Change the mobile phone number; where codes are sent, it takes effect with the code',
    input: z.object({ mobile_phone: fields.mobile_phone, current_password }),
    output: OfficeView,
  },
  sendPhoneCode: {
    method: 'POST',
    path: '/office/phone/code',
    summary: 'Send another code to the new mobile phone number',
    input: memberOnScreen,
    output: nothing,
  },
  confirmPhone: {
    method: 'POST',
    path: '/office/phone/confirm',
    summary: 'Confirm the new mobile phone number with the code that was sent to it',
    input: z.object({ ...memberOnScreen.shape, code: fields.code }),
    output: OfficeView,
  },
  changeEmail: {
    method: 'POST',
    path: '/office/email',
    summary: 'Request a new email address; it takes effect once it is confirmed, or immediately if the old one is not',
    input: z.object({ email: fields.email, current_password }),
    output: OfficeView,
  },
  sendEmailLink: {
    method: 'POST',
    path: '/office/email/link',
    summary: 'Send the link that confirms the email address again',
    input: memberOnScreen,
    output: nothing,
  },
  confirmEmail: {
    method: 'POST',
    path: '/office/confirm-email',
    summary: 'Confirm an email address with the token from the email',
    input: z.object({ token }),
    output: z.object({ email: z.string() }),
  },
  changePassword: {
    method: 'POST',
    path: '/office/password',
    summary: 'Change the password and sign out every other browser',
    input: z.object({ password: fields.password, current_password }),
    output: nothing,
  },
  forgetPassword: {
    method: 'POST',
    path: '/office/forgotten-password',
    summary: 'Request a password reset email; the response is the same for every name',
    input: z.object({ name: fields.name }),
    output: nothing,
  },
  resetPassword: {
    method: 'POST',
    path: '/office/new-password',
    summary: 'Set a new password with the token from the email',
    input: z.object({ token, password: fields.password, card_last_four: z.optional(card_last_four) }),
    output: nothing,
  },
  changeCard: {
    method: 'POST',
    path: '/office/card',
    summary: 'Replace the card on file; what is past due is charged immediately',
    input: z.object({
      ...memberOnScreen.shape,
      cc_number: fields.cc_number,
      cc_month: fields.cc_month,
      cc_year: fields.cc_year,
      cc_cvv: fields.cc_cvv,
      captcha: fields.captcha,
      ...shownCharge,
      /** Asked for unless the member has just signed in. */
      current_password: z.optional(current_password),
    }),
    output: OfficeView,
  },
  dropPackage: {
    method: 'POST',
    path: '/office/drop-package',
    summary: 'Stop a recurring package; the membership itself continues',
    input: z.object({ ...memberOnScreen.shape, product_id: z.int('Please enter a number.') }),
    output: OfficeView,
  },
  comeBack: {
    method: 'POST',
    path: '/office/come-back',
    summary: 'Restart a membership that has ended with one payment, under the same name and link',
    input: z.object({
      ...memberOnScreen.shape,
      shown_price: shownPrice,
      /** Asked for unless the member has just signed in. */
      current_password: z.optional(current_password),
    }),
    output: OfficeView,
  },
  cancelMembership: {
    method: 'POST',
    path: '/office/cancel',
    summary: 'Cancel the membership at the end of the paid period',
    /** `shown_end`: the day that the dialog named, or '' if it said that the membership ends immediately. */
    input: z.extend(memberOnScreen, { shown_end: z.optional(z.string().check(z.maxLength(10))) }),
    output: OfficeView,
  },
  keepMembership: {
    method: 'POST',
    path: '/office/keep',
    summary: 'Undo a cancellation while the paid period lasts; on its last day, the next one is charged',
    input: z.extend(memberOnScreen, shownCharge),
    output: OfficeView,
  },
} as const satisfies Record<string, Call>
