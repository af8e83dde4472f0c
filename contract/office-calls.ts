import * as z from 'zod/mini'
import { type Call, Package } from './api.ts'
import { fields } from './fields.ts'
import { figures } from './figures.ts'

/** The calls of the office that we ship. Apart from the others, so that the wizard's first load does not carry them. */

const nothing = z.object({})
/** Whom the page shows: in another tab somebody else may have signed in. */
const shown = z.object({ username: fields.username })
const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
const amount = Package.shape.price

/** A password that is known already, whatever stands there: only who keeps it can say whether it is right. */
const known = (message: string) =>
  z.string(message).check(z.minLength(1, message), z.maxLength(figures.password_max_length, message))
const current_password = known('Please enter your current password.')
const token = z.string('The token is missing.').check(z.maxLength(2000, 'This is not a token.'))

/** Each week since then, oldest first: how many looked at the member's page and how many joined through it. */
const Week = z.object({ from: day, visits: z.int(), joins: z.int() })

/** All that a member sees of their own membership. Of those whom they brought: name and day, nothing else. */
export const OfficeView = z.object({
  first_name: z.string(),
  last_name: z.string(),
  username: z.string(),
  email: z.string(),
  /** A new address that waits to be confirmed. */
  unconfirmed_email: z.optional(z.string()),
  mobile_phone: z.string(),
  link: z.string(),
  joined_on: day,
  sponsor_name: z.string(),
  membership: z.object({
    /** What the next months cost, '99.00'. */
    price: amount,
    /** The day on which the paid month ends and, unless it is cancelled, the next one begins. */
    renews_on: day,
    cancelled_on: z.optional(day),
    /** The paid month of a cancelled membership is over. */
    is_over: z.boolean(),
  }),
  receipt: z.object({
    reference: z.string(),
    paid_on: day,
    lines: z.array(z.object({ name: z.string(), price: amount })),
    total: amount,
  }),
  accepted: z.array(
    z.object({
      title: z.string(),
      version: z.int(),
      sha256: z.string(),
      /** To the second, '2026-11-15T10:00:00.000Z'. */
      accepted_at: z.string(),
    }),
  ),
  weeks: z.array(Week),
  totals: z.object({ visits: z.int(), joins: z.int() }),
  /** The newest; `totals.joins` counts all. */
  brought: z.array(z.object({ name: z.string(), joined_on: day })),
})

export const officeCalls = {
  enterOffice: {
    method: 'POST',
    path: '/office/session',
    summary: 'Spend a grant and enter the office',
    input: z.object({ token }),
    output: nothing,
  },
  signIn: {
    method: 'POST',
    path: '/office/sign-in',
    summary: 'Enter the office with username or email, and password',
    input: z.object({ name: fields.name, password: known('Please enter your password.') }),
    output: nothing,
  },
  leaveOffice: {
    method: 'POST',
    path: '/office/sign-out',
    summary: 'Leave the office',
    input: nothing,
    output: nothing,
  },
  leaveEverywhere: {
    method: 'POST',
    path: '/office/sign-out-everywhere',
    summary: 'Leave the office in every browser',
    input: nothing,
    output: nothing,
  },
  getOffice: {
    method: 'GET',
    path: '/office/view',
    summary: 'What a member sees of their membership',
    input: nothing,
    output: OfficeView,
  },
  getAcceptedText: {
    method: 'GET',
    path: '/office/accepted/:sha256',
    summary: 'The very text that the member accepted',
    input: z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'This is not the hash of a text.')) }),
    output: z.object({ content: z.string() }),
  },
  changePhone: {
    method: 'POST',
    path: '/office/phone',
    summary: 'Change the mobile phone number',
    input: z.object({ mobile_phone: fields.mobile_phone, current_password }),
    output: OfficeView,
  },
  changeEmail: {
    method: 'POST',
    path: '/office/email',
    summary: 'Ask for another email address; it counts once it is confirmed',
    input: z.object({ email: fields.email, current_password }),
    output: OfficeView,
  },
  confirmEmail: {
    method: 'POST',
    path: '/office/confirm-email',
    summary: 'Confirm a new email address with the word from the letter',
    input: z.object({ token }),
    output: z.object({ email: z.string() }),
  },
  changePassword: {
    method: 'POST',
    path: '/office/password',
    summary: 'Change the password; every other browser is signed out',
    input: z.object({ password: fields.password, current_password }),
    output: nothing,
  },
  forgetPassword: {
    method: 'POST',
    path: '/office/forgotten-password',
    summary: 'Ask for a letter with a link to a new password; the answer is the same for every name',
    input: z.object({ name: fields.name }),
    output: nothing,
  },
  resetPassword: {
    method: 'POST',
    path: '/office/new-password',
    summary: 'Set a new password with the word from the letter',
    input: z.object({ token, password: fields.password }),
    output: nothing,
  },
  cancelMembership: {
    method: 'POST',
    path: '/office/cancel',
    summary: 'Cancel the membership at the end of the paid month',
    input: shown,
    output: OfficeView,
  },
  keepMembership: {
    method: 'POST',
    path: '/office/keep',
    summary: 'Take a cancellation back while the paid month lasts',
    input: shown,
    output: OfficeView,
  },
} as const satisfies Record<string, Call>

export type OfficeView = z.infer<typeof OfficeView>
