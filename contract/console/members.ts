import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'
import { placementSides } from '#contract/commission.ts'
import { fields } from '#contract/fields.ts'
import { CreditNote } from '#contract/receipts.ts'
import { BAD_AMOUNT, day, dollarAmount, formVersion, positiveNumber, reason, sponsorSite } from './fields.ts'
import { Card, MemberPage, state } from './member-page.ts'
import type { ConsoleCall } from './permissions.ts'

const optionalText = (max: number) =>
  z.optional(z.string().check(z.maxLength(max, `Please use at most ${max} characters.`)))
const member_id = z.uuid('This is not a member.')
const reference = z.string('Please name a payment.').check(z.regex(/^[\w.-]{1,60}$/, 'This is not a payment.'))

const email_id = z
  .string('Please choose an email.')
  .check(z.regex(/^[a-z_]{1,40}(?::[\w.-]{1,60})?$/, 'Please choose an email.'))

export const memberSorts = ['newest', 'oldest', 'name'] as const

/** The filter of the list, as it stands in the address of the page. */
export const MemberFilter = z.object({
  search: optionalText(200),
  state: z.optional(state),
  /** A sponsor's link, or the word in it. */
  sponsor: optionalText(200),
  package: z.optional(z.string().check(z.regex(/^\d{1,9}$/, 'Please choose a package.'))),
  joined_from: z.optional(day),
  joined_to: z.optional(day),
  /** We couldn't charge them on time, and told them on this day that a new period had begun. */
  resumed_on: z.optional(day),
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
  /** Of the next charge. */
  price: Package.shape.price,
  interval: z.enum(['month', 'year']),
  next_charge_on: z.optional(day),
  joined_on: z.string(),
  card: z.optional(Card),
})

/** A payment by someone who didn't become a member. We know who it was only while the payment is open. */
const Attempt = z.object({
  reference: z.string(),
  at: z.string(),
  state: z.string(),
  amount: Package.shape.price,
  person: z.optional(z.object({ name: z.string(), email: z.string(), mobile_phone: z.string() })),
  card: z.optional(Card),
  decline: z.optional(z.string()),
})

const MemberList = z.object({
  members: z.array(MemberRow),
  /** Found by a search: those who have tried to join. */
  attempts: z.array(Attempt),
  /** Where the next page begins. It may be there although this page is not full: then there was too much to look through at once. */
  next: z.optional(z.string()),
  /** The search matches more members than are looked at. */
  is_capped: z.boolean(),
  /** How many members fit, where that can be counted quickly: on the first page, up to ten thousand. */
  total: z.optional(z.object({ count: z.int(), is_more: z.boolean() })),
})

/** Not JSON: the page links to it, and the browser stores it. */
const File = z.custom<{ filename: string }>()

/** The rules of the form that the member joined with. */
const details = {
  first_name: fields.first_name,
  last_name: fields.last_name,
  business_name: fields.business_name,
  email: fields.email,
  mobile_phone: fields.mobile_phone,
  address: fields.address,
  address2: fields.address2,
  city: fields.city,
  state: fields.state,
  post_code: fields.post_code,
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
    showsMembers: true,
    input: z.object({ ...MemberFilter.shape, after: optionalText(200) }),
    output: MemberList,
  },
  exportMembers: {
    method: 'GET',
    path: '/console/members.csv',
    summary: 'Download all members that fit a filter as CSV',
    permission: 'export_members',
    needsProof: true,
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
    showsMembers: true,
    input: aboutMember,
    output: MemberPage,
  },
  getAcceptedText: {
    method: 'GET',
    path: '/console/members/:member_id/texts/:sha256',
    summary: 'Get a text as the member accepted it',
    permission: 'see_members',
    showsMembers: true,
    input: z.object({
      member_id,
      sha256: z.string('Please name a text.').check(z.regex(/^[\da-f]{64}$/, 'This is not a text.')),
    }),
    output: z.object({ title: z.string(), version: z.int(), content: z.string(), is_html: z.boolean() }),
  },
  getCreditNote: {
    method: 'GET',
    path: '/console/credit-notes/:number',
    summary: 'Get the credit note of a refund or a void',
    permission: 'see_members',
    showsMembers: true,
    input: z.object({ number: positiveNumber('Please name a credit note.') }),
    output: CreditNote,
  },
  refundPayment: {
    method: 'POST',
    path: '/console/payments/refund',
    summary: 'Refund a payment in full or in part',
    permission: 'refund',
    needsProof: true,
    showsMembers: true,
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
    showsMembers: true,
    input: z.object({ member_id, reference, reason }),
    output: MemberPage,
  },
  cancelMembership: {
    method: 'POST',
    path: '/console/members/cancel',
    summary: 'Cancel a membership at the end of the paid period',
    permission: 'change_memberships',
    needsProof: true,
    showsMembers: true,
    input: withReason,
    output: MemberPage,
  },
  resumeMembership: {
    method: 'POST',
    path: '/console/members/resume',
    summary: 'Undo a cancellation',
    permission: 'change_memberships',
    needsProof: true,
    showsMembers: true,
    input: withReason,
    output: MemberPage,
  },
  holdMembership: {
    method: 'POST',
    path: '/console/members/hold',
    summary: 'Put a membership on hold; nothing is charged until it’s released',
    permission: 'change_memberships',
    needsProof: true,
    showsMembers: true,
    input: withReason,
    output: MemberPage,
  },
  releaseMembership: {
    method: 'POST',
    path: '/console/members/release',
    summary: 'Release a hold',
    permission: 'change_memberships',
    needsProof: true,
    showsMembers: true,
    input: withReason,
    output: MemberPage,
  },
  changeDetails: {
    method: 'POST',
    path: '/console/members/details',
    summary: 'Correct a member’s details; a new email address takes effect when the member confirms it',
    permission: 'correct_details',
    needsProof: true,
    showsMembers: true,
    input: z.object({ member_id, ...details, version: formVersion }),
    output: MemberPage,
  },
  moveSponsor: {
    method: 'POST',
    path: '/console/members/sponsor',
    summary: 'Move a member to another sponsor; the record of how they joined stays',
    permission: 'move_sponsors',
    needsProof: true,
    showsMembers: true,
    input: z.object({ member_id, sponsor_site: sponsorSite, reason }),
    output: MemberPage,
  },
  changePlacement: {
    method: 'POST',
    path: '/console/members/placement',
    summary: 'Change where a commission plan should place a member; the sponsor stays',
    permission: 'move_sponsors',
    needsProof: true,
    showsMembers: true,
    input: z.object({
      member_id,
      side: z.enum(placementSides, 'Please choose a placement.'),
      /** Empty: the sponsor. */
      parent_site: z.union([z.literal(''), sponsorSite], 'This link is not valid.'),
      reason,
    }),
    output: MemberPage,
  },
  waivePeriod: {
    method: 'POST',
    path: '/console/members/waive',
    summary: 'Waive the next period: it is not charged',
    permission: 'adjust_billing',
    needsProof: true,
    showsMembers: true,
    input: withReason,
    output: MemberPage,
  },
  moveRenewalDay: {
    method: 'POST',
    path: '/console/members/renewal-day',
    summary: 'Move the day on which a membership renews; the running period lasts until then',
    permission: 'adjust_billing',
    needsProof: true,
    showsMembers: true,
    input: z.object({
      member_id,
      day_of_month: z
        .string('Please choose a day.')
        .check(z.regex(/^(?:[1-9]|[12]\d|3[01])$/, 'Please choose a day from 1 to 31.')),
      /** The next renewal, as the page has shown it. */
      shown_on: day,
      /** '1': more free days than the usual limit. */
      may_exceed: z.optional(z.enum(['0', '1'], 'This must be 0 or 1.')),
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
    showsMembers: true,
    input: aboutMember,
    output: z.object({ filename: z.string(), content: z.record(z.string(), z.unknown()) }),
  },
  erasePerson: {
    method: 'POST',
    path: '/console/members/erase',
    summary: 'End the membership and erase the personal data; payments and accepted texts stay',
    permission: 'personal_data',
    needsProof: true,
    showsMembers: true,
    input: z.object({ member_id, username: fields.username, reason }),
    output: MemberPage,
  },
  endSessions: {
    method: 'POST',
    path: '/console/members/end-sessions',
    summary: 'Sign a member out of the office everywhere',
    permission: 'help_members',
    needsProof: false,
    showsMembers: true,
    input: aboutMember,
    output: MemberPage,
  },
  removeSecondFactor: {
    method: 'POST',
    path: '/console/members/remove-second-factor',
    summary: 'Remove a member’s authenticator app, passkeys and recovery codes, and sign the member out everywhere',
    permission: 'remove_second_factor',
    needsProof: true,
    showsMembers: true,
    input: z.object({ member_id, reason }),
    output: MemberPage,
  },
  sendResetLink: {
    method: 'POST',
    path: '/console/members/reset-link',
    summary: 'Email a member a link to set a new password',
    permission: 'help_members',
    needsProof: false,
    showsMembers: true,
    input: aboutMember,
    output: MemberPage,
  },
  resendEmail: {
    method: 'POST',
    path: '/console/members/email',
    summary: 'Write an email again from what is true now, and send it',
    permission: 'help_members',
    needsProof: false,
    showsMembers: true,
    input: z.object({ member_id, email_id }),
    output: MemberPage,
  },
} as const satisfies Record<string, ConsoleCall>

export type MemberFilter = z.infer<typeof MemberFilter>
export type Attempt = z.infer<typeof Attempt>
export type MemberRow = z.infer<typeof MemberRow>
export type MemberList = z.infer<typeof MemberList>
