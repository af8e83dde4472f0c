import * as z from 'zod/mini'
import { Package } from './api.ts'
import { type ConsoleCall, reason } from './console-access-calls.ts'
import { BAD_AMOUNT, day, dollarAmount } from './console-fields.ts'
import { fields } from './fields.ts'

const amount = Package.shape.price
const optionalText = (max: number) =>
  z.optional(z.string().check(z.maxLength(max, `Please use at most ${max} characters.`)))
const member_id = z.uuid('This is not a member.')
const reference = z.string('Please name a payment.').check(z.regex(/^[\w.-]{1,60}$/, 'This is not a payment.'))

const email_id = z
  .string('Please choose an email.')
  .check(z.regex(/^[a-z_]{1,40}(?::[\w.-]{1,60})?$/, 'Please choose an email.'))

export const memberStates = ['active', 'past_due', 'canceled', 'on_hold', 'ended'] as const
export const memberSorts = ['newest', 'oldest', 'name'] as const
const state = z.enum(memberStates, 'Please choose a state.')

const Card = z.object({ brand: z.string(), last_four: z.string(), expires: z.optional(z.string()) })

/** The filter of the list, as it stands in the address of the page. */
export const MemberFilter = z.object({
  search: optionalText(100),
  state: z.optional(state),
  /** The word in a sponsor's link. */
  sponsor: optionalText(30),
  package: z.optional(z.string().check(z.regex(/^\d{1,9}$/, 'Please choose a package.'))),
  joined_from: z.optional(day),
  joined_to: z.optional(day),
  sort: z.optional(z.enum(memberSorts, 'Please choose an order.')),
})

const MemberRow = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string(),
  email: z.string(),
  state,
  sponsor: z.object({ site: z.string(), name: z.string() }),
  packages: z.array(z.string()),
  joined_on: z.string(),
  card: z.optional(Card),
})

const MemberList = z.object({
  members: z.array(MemberRow),
  /** Where the next page begins. It may be there although this page is not full: then there was too much to look through at once. */
  next: z.optional(z.string()),
  /** The search matches more members than are looked at. */
  is_capped: z.boolean(),
})

/** Not JSON: the page links to it, and the browser stores it. */
const File = z.custom<{ filename: string }>()

const Payment = z.object({
  reference: z.string(),
  /** 0 is the first charge, n the renewal for the nth period. */
  period: z.int(),
  at: z.string(),
  state: z.string(),
  amount,
  refunded: amount,
  /** Requested and not done yet. */
  refund_pending: amount,
  /** What can still be refunded; absent if nothing can. */
  refundable: z.optional(amount),
  may_void: z.boolean(),
  card: z.optional(z.object({ brand: z.string(), last_four: z.string() })),
  decline: z.optional(z.string()),
  refunds: z.array(
    z.object({
      amount,
      is_void: z.boolean(),
      state: z.enum(['requested', 'done', 'refused']),
      reason: z.string(),
      who: z.string(),
      at: z.string(),
    }),
  ),
})

export const timelineKinds = ['money', 'membership', 'email', 'sign_in', 'staff', 'link'] as const

/** One thing that happened. The texts are made where they are shown. */
const TimelineEntry = z.object({
  at: z.string(),
  kind: z.enum(timelineKinds),
  what: z.string(),
  amount: z.optional(amount),
  /** A reference, a link, a card, a reason. */
  detail: z.optional(z.string()),
  reason: z.optional(z.string()),
  who: z.optional(z.string()),
  tone: z.enum(['good', 'bad', 'plain']),
  /** An email that can be sent again. */
  email_id: z.optional(z.string()),
})

const SponsorName = z.object({ site: z.string(), name: z.string() })

export const MemberPage = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  business_name: z.string(),
  username: z.string(),
  email: z.string(),
  /** Whether somebody has opened a link that was sent to it. */
  is_email_confirmed: z.boolean(),
  /** The mail server refuses the address: no such mailbox, closed, or not an address at all. */
  email_bounce: z.optional(z.enum(['unknown', 'closed', 'malformed'])),
  email_bounced_at: z.optional(z.string()),
  /** A new address that the member has not confirmed yet. */
  unconfirmed_email: z.optional(z.string()),
  mobile_phone: z.string(),
  postal: z.object({
    ...{ address: z.string(), address2: z.string(), city: z.string(), state: z.string() },
    ...{ post_code: z.string(), country: z.string() },
  }),
  joined_at: z.string(),
  /** The personal data is gone. */
  erased_at: z.optional(z.string()),
  /** Who counts as the sponsor now. */
  sponsor: SponsorName,
  credit: z.object({
    /** The sponsor on the day of joining. */
    joined: SponsorName,
    /** What is wrong with the sealed record, if anything. */
    problem: z.optional(z.string()),
    /** Oldest first. */
    moves: z.array(
      z.object({
        ...{ from: SponsorName, to: SponsorName, who: z.string(), at: z.string() },
        reason: z.optional(z.string()),
      }),
    ),
  }),
  link: z.string(),
  sessions: z.int(),
  has_second_factor: z.boolean(),
  membership: z.object({
    state,
    /** From the next period on. */
    price: amount,
    interval: z.enum(['month', 'year']),
    lines: z.array(z.object({ name: z.string(), price: amount })),
    period: z.optional(z.object({ starts_on: day, ends_on: day, state: z.string() })),
    /** When the next charge or try is due, if there is one. */
    next_charge_on: z.optional(day),
    ends_on: z.optional(day),
    hold_reason: z.optional(z.string()),
    card: z.optional(Card),
    may_cancel: z.boolean(),
    may_resume: z.boolean(),
    may_hold: z.boolean(),
    may_release: z.boolean(),
    /** The period that would be charged next and could be waived. */
    may_waive: z.optional(z.object({ starts_on: day, ends_on: day })),
    /** The next period, which is not charged. */
    waived: z.optional(z.object({ starts_on: day, ends_on: day })),
    may_move_day: z.boolean(),
    /** The day of the month on which it renews. */
    day_of_month: z.int(),
  }),
  payments: z.array(Payment),
  accepted: z.array(z.object({ title: z.string(), version: z.int(), sha256: z.string(), accepted_at: z.string() })),
  /** Those that can be sent again. */
  emails: z.array(z.object({ email_id: z.string(), text: z.string() })),
  timeline: z.array(TimelineEntry),
})

/** The rules of the form that the member joined with. */
const details = {
  ...{ first_name: fields.first_name, last_name: fields.last_name, business_name: fields.business_name },
  ...{ email: fields.email, mobile_phone: fields.mobile_phone, address: fields.address, address2: fields.address2 },
  ...{ city: fields.city, state: fields.state, post_code: fields.post_code },
}

const aboutMember = z.object({ member_id })
const withReason = z.object({ member_id, reason })

/** Members: the list, a member's page, and what staff can do there. */
export const consoleMemberCalls = {
  listMembers: {
    method: 'GET',
    path: '/console/members',
    summary: 'List members by filter, in pages',
    permission: 'see_members',
    input: z.object({ ...MemberFilter.shape, after: optionalText(200) }),
    output: MemberList,
  },
  exportMembers: {
    method: 'GET',
    path: '/console/members.csv',
    summary: 'Download all members that fit a filter as CSV',
    permission: 'export_members',
    input: MemberFilter,
    output: File,
  },
  getFilters: {
    method: 'GET',
    path: '/console/member-filters',
    summary: 'List the packages that members can be filtered by',
    permission: 'see_members',
    input: z.object({}),
    output: z.object({ packages: z.array(z.object({ product_id: z.int(), name: z.string() })) }),
  },
  getMember: {
    method: 'GET',
    path: '/console/members/:member_id',
    summary: 'Get everything about a member',
    permission: 'see_members',
    input: aboutMember,
    output: MemberPage,
  },
  refundPayment: {
    method: 'POST',
    path: '/console/payments/refund',
    summary: 'Refund a payment in full or in part',
    permission: 'refund',
    needsProof: true,
    input: z.object({
      member_id,
      reference,
      amount: dollarAmount.check(z.refine((text) => Number(text) > 0, BAD_AMOUNT)),
      reason,
    }),
    output: MemberPage,
  },
  voidPayment: {
    method: 'POST',
    path: '/console/payments/void',
    summary: 'Cancel a charge that has not settled',
    permission: 'refund',
    needsProof: true,
    input: z.object({ member_id, reference, reason }),
    output: MemberPage,
  },
  cancelMembership: {
    method: 'POST',
    path: '/console/members/cancel',
    summary: 'Cancel a membership at the end of the paid month',
    permission: 'change_memberships',
    input: withReason,
    output: MemberPage,
  },
  resumeMembership: {
    method: 'POST',
    path: '/console/members/resume',
    summary: 'Undo a cancellation',
    permission: 'change_memberships',
    input: withReason,
    output: MemberPage,
  },
  holdMembership: {
    method: 'POST',
    path: '/console/members/hold',
    summary: 'Put a membership on hold: nothing is charged until it is released',
    permission: 'change_memberships',
    input: withReason,
    output: MemberPage,
  },
  releaseMembership: {
    method: 'POST',
    path: '/console/members/release',
    summary: 'Release a hold',
    permission: 'change_memberships',
    input: withReason,
    output: MemberPage,
  },
  changeDetails: {
    method: 'POST',
    path: '/console/members/details',
    summary: 'Correct a member’s details; a new email address takes effect when the member confirms it',
    permission: 'correct_details',
    needsProof: true,
    input: z.object({ member_id, ...details }),
    output: MemberPage,
  },
  moveSponsor: {
    method: 'POST',
    path: '/console/members/sponsor',
    summary: 'Move a member to another sponsor; the record of how they joined stays',
    permission: 'move_sponsors',
    needsProof: true,
    input: z.object({ member_id, sponsor_site: fields.sponsor_site, reason }),
    output: MemberPage,
  },
  waivePeriod: {
    method: 'POST',
    path: '/console/members/waive',
    summary: 'Waive the next period: it is not charged',
    permission: 'adjust_billing',
    needsProof: true,
    input: withReason,
    output: MemberPage,
  },
  moveRenewalDay: {
    method: 'POST',
    path: '/console/members/renewal-day',
    summary: 'Move the day on which a membership renews; the running period lasts until then',
    permission: 'adjust_billing',
    needsProof: true,
    input: z.object({
      member_id,
      day_of_month: z
        .string('Please choose a day.')
        .check(z.regex(/^(?:[1-9]|[12]\d|3[01])$/, 'Please choose a day from 1 to 31.')),
      /** The next renewal, as the page has shown it. */
      shown_on: day,
      reason,
    }),
    output: MemberPage,
  },
  exportPerson: {
    method: 'POST',
    path: '/console/members/export',
    summary: 'Get everything that is held about a person, as one JSON file',
    permission: 'personal_data',
    needsProof: true,
    input: aboutMember,
    output: z.object({ filename: z.string(), content: z.record(z.string(), z.unknown()) }),
  },
  erasePerson: {
    method: 'POST',
    path: '/console/members/erase',
    summary: 'End the membership and erase the personal data; payments and accepted texts stay',
    permission: 'personal_data',
    needsProof: true,
    input: z.object({ member_id, username: fields.username, reason }),
    output: MemberPage,
  },
  endSessions: {
    method: 'POST',
    path: '/console/members/end-sessions',
    summary: 'Sign a member out of the office everywhere',
    permission: 'help_members',
    input: aboutMember,
    output: MemberPage,
  },
  removeSecondFactor: {
    method: 'POST',
    path: '/console/members/remove-second-factor',
    summary: 'Remove a member’s authenticator app, passkeys and recovery codes, and sign the member out everywhere',
    permission: 'remove_second_factor',
    needsProof: true,
    input: z.object({ member_id, reason }),
    output: MemberPage,
  },
  sendResetLink: {
    method: 'POST',
    path: '/console/members/reset-link',
    summary: 'Email a member a link to set a new password',
    permission: 'help_members',
    input: aboutMember,
    output: MemberPage,
  },
  resendEmail: {
    method: 'POST',
    path: '/console/members/email',
    summary: 'Write an email again from what is true now, and send it',
    permission: 'help_members',
    input: z.object({ member_id, email_id }),
    output: MemberPage,
  },
} as const satisfies Record<string, ConsoleCall>

export type MemberState = (typeof memberStates)[number]
export type MemberFilter = z.infer<typeof MemberFilter>
export type MemberRow = z.infer<typeof MemberRow>
export type MemberList = z.infer<typeof MemberList>
export type MemberPage = z.infer<typeof MemberPage>
export type TimelineEntry = z.infer<typeof TimelineEntry>
export type PaymentRow = z.infer<typeof Payment>
