import * as z from 'zod/mini'
import { Enrollment } from './enrollment.ts'
import { fields } from './fields.ts'
import { pageHits } from './paths.ts'
import { MASTER } from './site.ts'

/**
 * Every call as data. The browser's client, the server's handlers and the OpenAPI document are derived from this file:
 * forget a handler or misname a field, and the compiler says so.
 */
export type Call = {
  method: 'GET' | 'POST'
  path: string
  summary: string
  /** Query of a GET, body of a POST; fields named in the path come from there. */
  input: z.ZodMiniObject
  output: z.ZodMiniType
  /** The response may also be 202: accepted, and still running. */
  mayBePending?: true
  /** Takes an Idempotency-Key header, which also names the enrollment of a caller without cookies. */
  takesIdempotencyKey?: true
  /** The reply has nothing that only this visitor may know, so its length tells nobody anything: it is compressed. */
  isSameForAll?: true
}

const nothing = z.object({})
const number = z.coerce
  .number('Please enter a number.')
  .check(z.int('Please enter a whole number.'), z.minimum(1, 'Please enter a number.'), z.maximum(2 ** 31 - 1))
const messageList = z.array(z.string())
const amount = z.string().check(z.regex(/^\d+\.\d{2}$/))

export const Sponsor = z.object({
  site: z.string(),
  active: z.enum(['Yes', 'No']),
  name: z.string(),
  /** A picture that the sponsor has added. */
  picture_url: z.optional(z.string()),
})

export const Package = z.object({
  product_id: z.int(),
  name: z.string(),
  description: z.string(),
  image_url: z.string(),
  /** Today. */
  price: amount,
  /** Every month or year from then on; absent if it is paid once. */
  renewal_price: z.optional(amount),
  /** 'unknown': an operator's API host keeps the packages, and does not say what renews. */
  billing_interval: z.enum(['month', 'year', 'once', 'unknown']),
  is_recurring: z.boolean(),
  is_special: z.boolean(),
  ships: z.boolean(),
})

export const LegalDocument = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  status: z.string(),
  display_on_checkout: z.array(z.string()),
  version: z.int(),
  sha256: z.string(),
})

const OrderSummary = z.object({ grand_total: amount })

/**
 * payment: 'Approved', 'Declined', 'Pending' while we keep asking for the outcome, or 'Unknown' if we can never find out:
 * the answer of an operator's API host was lost, and `reference` is what their support can look up. `token` and `vo_url` are
 * filled in only when approved. `decline_class` says what the visitor can do: correct the input, use a different card, or ask the
 * bank.
 */
export const EnrollmentReply = z.object({
  payment: z.enum(['Approved', 'Declined', 'Pending', 'Unknown']),
  token: z.string(),
  vo_url: z.string(),
  decline_class: z.optional(z.enum(['input', 'card', 'bank'])),
  reference: z.optional(z.string()),
})

/** state: 'none' when no attempt was made or nothing was charged, otherwise the state of the newest attempt. attempt: the next one to use. */
export const EnrollmentStatus = z.object({
  state: z.enum(['none', 'running', 'declined', 'approved', 'unknown']),
  attempt: z.int(),
  reply: z.optional(EnrollmentReply),
})

/** False if no code was sent because none is needed. Beyond the spec. */
const code_needed = z.optional(z.boolean())

const PhoneReply = z.object({ status: z.int(), message: z.string(), code_needed })

const Challenge = z.record(z.string(), z.unknown())

/** The body of every error: one sentence for the person, and messages by field. */
export const ErrorReply = z.object({
  message: z.string(),
  fields: z.optional(z.record(z.string(), messageList)),
  /** Required by the spec in errors of the phone calls. */
  status: z.optional(z.int()),
  success: z.optional(z.boolean()),
})

/** `{enrollment}.{attempt}`: the same key always means the same payment. */
export const IdempotencyKey = z
  .string()
  .check(
    z.regex(
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[1-9]\d{0,3}$/,
      'Idempotency-Key must be {enrollment}.{attempt}.',
    ),
  )

/** Required only for the first code of an enrollment. */
const captchaSolution = z.optional(z.string('Please confirm the captcha.'))

const orderLists = {
  product_ids: fields.product_ids,
  autoship_product_ids: fields.product_ids,
  special_product_ids: fields.product_ids,
}

export const calls = {
  getPackages: {
    method: 'GET',
    path: '/enrollment/enrollment_packages',
    summary: 'List the packages of a category in a language',
    input: z.object({
      product_category_id: number,
      language_id: number,
    }),
    output: z.array(Package),
  },
  getLegalDocuments: {
    method: 'GET',
    path: '/enrollment/get-all-legal-documents',
    summary: 'List all legal documents with their status',
    input: nothing,
    output: z.array(LegalDocument),
    isSameForAll: true,
  },
  sumOrder: {
    method: 'POST',
    path: '/enrollment/orders',
    summary: 'Get the total of an order',
    input: z.object(orderLists),
    output: OrderSummary,
  },
  validateEmail: {
    method: 'POST',
    path: '/enrollment/validate_email',
    summary: 'Check whether an email address is available',
    input: z.object({ email: z.string('Please enter your email address.') }),
    output: z.object({ email: z.union([z.literal('Available'), messageList]) }),
  },
  validateUsername: {
    method: 'POST',
    path: '/enrollment/validate_username',
    summary: 'Check whether a username is available',
    input: z.object({ username: z.string('Please enter your username.') }),
    /** `suggestions`, beyond the spec: up to three free names, if this one is taken. */
    output: z.object({
      username: z.union([z.literal('Available'), messageList]),
      suggestions: z.optional(z.array(z.string())),
    }),
  },
  getSponsor: {
    method: 'GET',
    path: '/enrollment/get_enrollment_sponsor',
    summary: 'Get the sponsor of a site',
    /** A word that can't be a site leads to the main one, as an unknown site does. */
    input: z.object({ sponsor_site: z.catch(fields.sponsor_site, MASTER) }),
    output: Sponsor,
  },
  addEnrollment: {
    method: 'POST',
    path: '/enrollment/add-enrollment',
    summary: 'Enroll: charge the card and create the member',
    input: Enrollment,
    output: EnrollmentReply,
    mayBePending: true,
    takesIdempotencyKey: true,
  },
  sendVerificationCode: {
    method: 'POST',
    path: '/twilio/send-verification-code',
    summary: 'Send a verification code by SMS',
    input: z.object({ phone_number: fields.mobile_phone, captcha: captchaSolution }),
    output: PhoneReply,
    takesIdempotencyKey: true,
  },
  verifyCode: {
    method: 'POST',
    path: '/twilio/verify-code',
    summary: 'Verify a phone number with its code',
    input: z.object({ phone_number: fields.mobile_phone, code: fields.code }),
    output: PhoneReply,
    takesIdempotencyKey: true,
  },
  verifyCall: {
    method: 'POST',
    path: '/twilio/verify-call',
    summary: 'Send a verification code by voice call',
    input: z.object({ cellphone: fields.mobile_phone, captcha: captchaSolution }),
    output: z.object({ success: z.boolean(), message: z.string(), code_needed }),
    takesIdempotencyKey: true,
  },
  hitPage: {
    ...pageHits,
    summary: 'Count a visit to a sponsor’s page',
    input: z.object({ sponsor_site: fields.sponsor_site }),
    output: nothing,
  },

  // Beyond the spec
  getChallenge: {
    method: 'GET',
    path: '/captcha/challenge',
    summary: 'Get a captcha challenge',
    input: nothing,
    output: Challenge,
  },
  getStatus: {
    method: 'GET',
    path: '/enrollment/status',
    summary: 'Get the outcome of an enrollment attempt',
    input: nothing,
    output: EnrollmentStatus,
    takesIdempotencyKey: true,
  },
} as const satisfies Record<string, Call>

/** What the reference calls the first part of a path. */
export const callGroups: Record<string, string> = {
  enrollment: 'Enrollment',
  twilio: 'Phone codes',
  'replicated-sites': 'Page hits',
  captcha: 'Captcha',
  office: 'Office',
}

export type CallName = keyof typeof calls
export type Input<Name extends CallName> = z.infer<(typeof calls)[Name]['input']>

export { API } from './paths.ts'

export type Sponsor = z.infer<typeof Sponsor>
export type Package = z.infer<typeof Package>
export type LegalDocument = z.infer<typeof LegalDocument>
export type EnrollmentReply = z.infer<typeof EnrollmentReply>
export type EnrollmentStatus = z.infer<typeof EnrollmentStatus>
export type ErrorReply = z.infer<typeof ErrorReply>
