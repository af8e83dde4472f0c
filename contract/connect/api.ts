import * as z from 'zod/mini'
import { BAD_AMOUNT, day, reason } from '#contract/console/fields.ts'
import { memberStates } from '#contract/console/member-page.ts'
import { fields } from '#contract/fields.ts'
import { SITE_PATTERN } from '#contract/site.ts'
import type { Scope } from './keys.ts'
import {
  DetailsChange,
  directions,
  EventPage,
  Line,
  Member,
  MemberList,
  MembershipState,
  PackageList,
  PaymentList,
  PaymentPage,
  paymentStates,
  Refund,
  SponsorList,
} from './shapes.ts'

/**
 * What other systems may ask, as data. The routes, the OpenAPI document, the client (client.ts) and the promise (v1.txt) are
 * derived from this file.
 */
export type ApiCall = {
  method: 'GET' | 'POST' | 'PATCH'
  /** Below /api/v1. */
  path: string
  summary: string
  scope: Scope
  /** Named in the path. */
  params?: z.ZodMiniObject
  query?: z.ZodMiniObject
  /** A call with a body changes something, and needs an Idempotency-Key. */
  body?: z.ZodMiniObject
  output: z.ZodMiniType
  /** Returns what is new, so an ETag would never match. */
  isNew?: true
  /** Will be removed: the day that was announced, the call's last day, and the page that says what to use instead. */
  deprecated?: { since: string; sunset: string; guide: string }
}

/** Below /api. */
export const V1 = '/v1'

export const MAX_LIMIT = 200
export const MAX_EVENTS = 1000
export const MAX_WAIT_SECONDS = 20
export const MAX_DEPTH = 100

const NO_CURSOR = 'This cursor isn’t valid. Please pass `next` from the previous page.'

const wholeNumber = (name: string, min: number, max: number) => {
  const message = `${name} must be a whole number from ${min} to ${max}.`
  return z.coerce.number(message).check(z.int(message), z.minimum(min, message), z.maximum(max, message))
}
const oneOf = <const Values extends readonly [string, ...string[]]>(name: string, values: Values) =>
  z.enum(values, `${name} must be one of ${values.join(', ')}.`)

const cursor = z.optional(z.string().check(z.maxLength(600, NO_CURSOR)))
const limit = z._default(wholeNumber('limit', 1, MAX_LIMIT), 50)
const page = { after: cursor, limit }
const order = z._default(oneOf('order', ['oldest', 'newest']), 'oldest')
const site = (name: string) =>
  z.optional(z.string().check(z.toLowerCase(), z.regex(SITE_PATTERN, `${name} must be a sponsor’s link, such as ana.`)))

const member_id = z.uuid('There is no such member.')
const reference = z.string().check(z.regex(/^[\w.-]{1,60}$/, 'There is no such payment.'))
const aboutMember = z.object({ member_id })

const stateChange = <const Action extends string>(action: Action, summary: string) =>
  ({
    method: 'POST',
    path: `/members/:member_id/${action}`,
    summary,
    scope: 'members:write',
    params: aboutMember,
    body: z.object({ reason }),
    output: MembershipState,
  }) as const

const dateFrom = z.optional(day)

/** Without the form's default for an empty field: fields left out don't change. */
const given = <Rule extends z.ZodMiniType>(rule: z.ZodMiniDefault<Rule>): Rule => rule._zod.def.innerType

export const apiCalls = {
  listMembers: {
    method: 'GET',
    path: '/members',
    summary: 'List members, in the order they joined',
    scope: 'members:read',
    query: z.object({
      ...page,
      state: z.optional(oneOf('state', memberStates)),
      /** Members whose sponsor is this link now, including those who joined through its earlier names. */
      sponsor: site('sponsor'),
      joined_from: dateFrom,
      joined_to: dateFrom,
      email: z.optional(z.string().check(z.maxLength(200, 'email must have at most 200 characters.'))),
      username: z.optional(z.string().check(z.maxLength(60, 'username must have at most 60 characters.'))),
      /** The id in another system: the name of the connection, a colon, the id. */
      external_id: z.optional(
        z
          .string()
          .check(z.regex(/^[^:]{1,60}:.{1,200}$/, 'external_id must be a connection and an id, such as exigo:1234.')),
      ),
      order,
    }),
    output: MemberList,
  },
  getMember: {
    method: 'GET',
    path: '/members/:member_id',
    summary: 'Get a member',
    scope: 'members:read',
    params: aboutMember,
    output: Member,
  },
  getLine: {
    method: 'GET',
    path: '/members/:member_id/line',
    summary: 'Get the members above or below a member, as of any day',
    scope: 'members:read',
    params: aboutMember,
    query: z.object({
      ...page,
      direction: oneOf('direction', directions),
      depth: z._default(wholeNumber('depth', 1, MAX_DEPTH), 10),
      /** As it was at the end of this day, in the operator's time zone. Absent: now. */
      on: dateFrom,
    }),
    output: Line,
  },
  listPayments: {
    method: 'GET',
    path: '/payments',
    summary: 'List payments, in the order they were created',
    scope: 'payments:read',
    query: z.object({
      ...page,
      member_id: z.optional(z.uuid('member_id must be the id of a member.')),
      state: z.optional(oneOf('state', paymentStates)),
      created_from: dateFrom,
      created_to: dateFrom,
      order,
    }),
    output: PaymentList,
  },
  getPayment: {
    method: 'GET',
    path: '/payments/:reference',
    summary: 'Get a payment with its refunds',
    scope: 'payments:read',
    params: z.object({ reference }),
    output: PaymentPage,
  },
  listSponsors: {
    method: 'GET',
    path: '/sponsors',
    summary: 'List sponsors’ links, in the order they were created',
    scope: 'sponsors:read',
    query: z.object({
      ...page,
      /** This link only. An earlier name finds the current one. */
      site: site('site'),
      kind: z.optional(oneOf('kind', ['operator', 'member'])),
    }),
    output: SponsorList,
  },
  listPackages: {
    method: 'GET',
    path: '/packages',
    summary: 'List packages, including withdrawn ones',
    scope: 'packages:read',
    query: z.object(page),
    output: PackageList,
  },
  listEvents: {
    method: 'GET',
    path: '/events',
    summary: 'List events, in the order they happened',
    scope: 'events:read',
    isNew: true,
    query: z.object({
      /** The cursor of the last answer. Absent: from the oldest event that is kept. `now`: what comes next. */
      after: cursor,
      limit: z._default(wholeNumber('limit', 1, MAX_EVENTS), 100),
      /** How many seconds to wait if there is nothing new. */
      wait: z._default(wholeNumber('wait', 0, MAX_WAIT_SECONDS), 0),
      /** Separated by commas. Absent: all. */
      types: z.optional(
        z
          .string()
          .check(
            z.regex(/^[a-z_.]+(?:,[a-z_.]+)*$/, 'types must be event types, separated by commas.'),
            z.maxLength(1000, 'types must have at most 1000 characters.'),
          ),
      ),
    }),
    output: EventPage,
  },
  cancelMembership: stateChange('cancel', 'Cancel a membership; it ends when the paid period does'),
  undoCancellation: stateChange('undo-cancel', 'Undo a cancellation'),
  holdMembership: stateChange('hold', 'Put a membership on hold; nothing is charged until it’s released'),
  releaseMembership: stateChange('release', 'Release a hold'),
  changeDetails: {
    method: 'PATCH',
    path: '/members/:member_id',
    summary: 'Correct a member’s details; fields you leave out don’t change',
    scope: 'members:write',
    params: aboutMember,
    body: z.partial(
      z.object({
        first_name: fields.first_name,
        last_name: fields.last_name,
        business_name: given(fields.business_name),
        email: fields.email,
        mobile_phone: fields.mobile_phone,
        address: fields.address,
        address2: given(fields.address2),
        city: fields.city,
        address_state: fields.state,
        post_code: fields.post_code,
      }),
    ),
    output: DetailsChange,
  },
  refundPayment: {
    method: 'POST',
    path: '/payments/:reference/refund',
    summary: 'Refund part or all of a payment',
    scope: 'payments:refund',
    params: z.object({ reference }),
    body: z.object({
      /** Absent: all that is left. */
      amount: z.optional(
        z.string(BAD_AMOUNT).check(
          z.regex(/^\d{1,7}\.\d{2}$/, BAD_AMOUNT),
          z.refine((text) => Number(text) > 0, BAD_AMOUNT),
        ),
      ),
      reason,
    }),
    output: Refund,
  },
} as const satisfies Record<string, ApiCall>

export type ApiCalls = typeof apiCalls
export type ApiCallName = keyof ApiCalls

/** What a client chooses: the same key means the same change. */
export const IdempotencyKey = z
  .string('Please send an Idempotency-Key, a new one for each change.')
  .check(
    z.regex(/^[\x21-\x7e]{8,120}$/, 'An Idempotency-Key must be 8 to 120 letters, digits or symbols, without spaces.'),
  )
