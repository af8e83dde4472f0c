/**
 * A client of /api/v1 in one file that needs nothing but fetch: copy it into your project. Generated from contract/connect by
 * `node scripts/api.mjs`.
 */

export type DetailsChange = {
  member_id: string
  changed: string[]
  is_email_unconfirmed: boolean
}

export type EventPage = {
  events: {
    id: string
    type: string
    version: number
    at: string
    member_id: string | null
    payload: Record<string, unknown>
  }[]
  cursor: string
  has_more: boolean
}

export type Line = {
  member_id: string
  direction: 'up' | 'down'
  as_of: string
  line: {
    member_id: string
    username: string
    depth: number
    sponsor_member_id?: string
    joined_at: string
    is_erased: boolean
  }[]
  top?: {
    site: string
  }
  next?: string
}

export type Member = {
  id: string
  username: string
  state: 'active' | 'past_due' | 'canceled' | 'on_hold' | 'ended'
  joined_at: string
  sponsor: {
    id: string
    site: string
    member_id?: string
  }
  person: {
    first_name: string
    last_name: string
    business_name: string
    email: string
    is_email_confirmed: boolean
    mobile_phone: string
    address: string
    address2: string
    city: string
    address_state: string
    post_code: string
    country: string
  } | null
  packages: {
    product_id: number
    name: string
    price: string
  }[]
  price: string
  billing_interval: 'month' | 'year'
  next_charge_on?: string
  canceled_at?: string
  ends_at?: string
  on_hold_since?: string
  card?: {
    brand: string
    last_four: string
    expires?: string
  }
  external_ids: {
    connection: string
    value: string
  }[]
  erased_at?: string
}

export type MemberList = {
  members: Member[]
  next?: string
}

export type MembershipState = {
  member_id: string
  state: 'active' | 'past_due' | 'canceled' | 'on_hold' | 'ended'
  next_charge_on?: string
  canceled_at?: string
  ends_at?: string
  on_hold_since?: string
}

export type PackageList = {
  packages: {
    product_id: number
    name: string
    description: string
    price: string
    renewal_price?: string
    billing_interval: 'month' | 'year' | 'once'
    is_recurring: boolean
    is_special: boolean
    ships: boolean
    is_offered: boolean
    product_category_id: number
    language_id: number
    image_url: string
  }[]
  next?: string
}

export type Payment = {
  reference: string
  member_id?: string
  kind: 'enrollment' | 'renewal'
  period: number
  state: 'pending' | 'review' | 'unknown' | 'declined' | 'abandoned' | 'approved' | 'captured' | 'capture_failed' | 'voided' | 'refunded' | 'disputed'
  amount: string
  refunded: string
  currency: 'USD'
  created_at: string
  captured_at?: string
  disputed_at?: string
  card?: {
    brand: string
    last_four: string
  }
}

export type PaymentList = {
  payments: Payment[]
  next?: string
}

export type PaymentPage = {
  reference: string
  member_id?: string
  kind: 'enrollment' | 'renewal'
  period: number
  state: 'pending' | 'review' | 'unknown' | 'declined' | 'abandoned' | 'approved' | 'captured' | 'capture_failed' | 'voided' | 'refunded' | 'disputed'
  amount: string
  refunded: string
  currency: 'USD'
  created_at: string
  captured_at?: string
  disputed_at?: string
  card?: {
    brand: string
    last_four: string
  }
  refunds: {
    id: string
    amount: string
    is_void: boolean
    state: 'requested' | 'done' | 'refused'
    requested_at: string
    ended_at?: string
  }[]
}

export type Refund = {
  refund_id: string
  payment_reference: string
  amount: string
  state: 'requested'
}

export type SponsorList = {
  sponsors: {
    id: string
    site: string
    name: string
    is_active: boolean
    member_id?: string
    created_at: string
    picture_url?: string
  }[]
  next?: string
}

export type ListMembersInput = {
  after?: string | undefined
  limit?: number | undefined
  state?: 'active' | 'past_due' | 'canceled' | 'on_hold' | 'ended' | undefined
  sponsor?: string | undefined
  joined_from?: string | undefined
  joined_to?: string | undefined
  email?: string | undefined
  username?: string | undefined
  external_id?: string | undefined
  order?: 'oldest' | 'newest' | undefined
}

export type GetLineInput = {
  after?: string | undefined
  limit?: number | undefined
  direction: 'up' | 'down'
  depth?: number | undefined
  on?: string | undefined
}

export type ListPaymentsInput = {
  after?: string | undefined
  limit?: number | undefined
  member_id?: string | undefined
  state?: 'pending' | 'review' | 'unknown' | 'declined' | 'abandoned' | 'approved' | 'captured' | 'capture_failed' | 'voided' | 'refunded' | 'disputed' | undefined
  created_from?: string | undefined
  created_to?: string | undefined
  order?: 'oldest' | 'newest' | undefined
}

export type ListSponsorsInput = {
  after?: string | undefined
  limit?: number | undefined
  site?: string | undefined
  kind?: 'operator' | 'member' | undefined
}

export type ListPackagesInput = {
  after?: string | undefined
  limit?: number | undefined
}

export type ListEventsInput = {
  after?: string | undefined
  limit?: number | undefined
  wait?: number | undefined
  types?: string | undefined
}

export type CancelMembershipInput = {
  reason: string
}

export type UndoCancellationInput = {
  reason: string
}

export type HoldMembershipInput = {
  reason: string
}

export type ReleaseMembershipInput = {
  reason: string
}

export type ChangeDetailsInput = {
  first_name?: string | undefined
  last_name?: string | undefined
  business_name?: string | undefined
  email?: string | undefined
  mobile_phone?: string | undefined
  address?: string | undefined
  address2?: string | undefined
  city?: string | undefined
  address_state?: string | undefined
  post_code?: string | undefined
}

export type RefundPaymentInput = {
  amount?: string | undefined
  reason: string
}

/** A reply other than 2xx, as the API explains it. */
export class ApiError extends Error {
  readonly status: number
  /** Messages by field. */
  readonly fields: Record<string, string[]>
  /** For events, if history has changed: where to continue from. */
  readonly last_common_cursor: string | undefined
  /** How many seconds to wait before the next call. */
  readonly retry_after: number | undefined

  constructor(status: number, body: { message?: string; fields?: Record<string, string[]>; last_common_cursor?: string }, retry_after?: number) {
    super(body.message ?? `The API answered with status ${status}.`)
    this.status = status
    this.fields = body.fields ?? {}
    this.last_common_cursor = body.last_common_cursor
    this.retry_after = retry_after
  }
}

export type Options = { signal?: AbortSignal | undefined }
/** The same key means the same change. Without one, each call is a new change. */
export type ChangeOptions = Options & { idempotency_key?: string | undefined }

export type ClientSettings = {
  /** Of the site, such as https://join.example.com. */
  url: string
  key: string
  fetch?: typeof globalThis.fetch
}

export type Client = ReturnType<typeof createClient>

export function createClient({ url, key, fetch = globalThis.fetch }: ClientSettings) {
  async function call<Output>(method: string, path: string, options: ChangeOptions, query: object = {}, body?: object): Promise<Output> {
    const address = new URL(`/api/v1${path}`, url)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, String(value))
    const reply = await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': options.idempotency_key ?? crypto.randomUUID() } : {}),
      },
      redirect: 'error',
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    })
    if (reply.ok) return (await reply.json()) as Output
    const problem = await reply.json().catch(() => ({}))
    throw new ApiError(reply.status, problem, Number(reply.headers.get('retry-after')) || undefined)
  }

  return {
    /** List members, in the order they joined. */
    listMembers: (query: ListMembersInput = {}, options: Options = {}) =>
      call<MemberList>('GET', `/members`, options, query),
    /** Get a member. */
    getMember: (member_id: string, options: Options = {}) =>
      call<Member>('GET', `/members/${encodeURIComponent(member_id)}`, options),
    /** Get the members above or below a member, as of any day. */
    getLine: (member_id: string, query: GetLineInput, options: Options = {}) =>
      call<Line>('GET', `/members/${encodeURIComponent(member_id)}/line`, options, query),
    /** List payments, in the order they were created. */
    listPayments: (query: ListPaymentsInput = {}, options: Options = {}) =>
      call<PaymentList>('GET', `/payments`, options, query),
    /** Get a payment with its refunds. */
    getPayment: (reference: string, options: Options = {}) =>
      call<PaymentPage>('GET', `/payments/${encodeURIComponent(reference)}`, options),
    /** List sponsors’ links, in the order they were created. */
    listSponsors: (query: ListSponsorsInput = {}, options: Options = {}) =>
      call<SponsorList>('GET', `/sponsors`, options, query),
    /** List packages, including withdrawn ones. */
    listPackages: (query: ListPackagesInput = {}, options: Options = {}) =>
      call<PackageList>('GET', `/packages`, options, query),
    /** List events, in the order they happened. */
    listEvents: (query: ListEventsInput = {}, options: Options = {}) =>
      call<EventPage>('GET', `/events`, options, query),
    /** Cancel a membership; it ends when the paid period does. */
    cancelMembership: (member_id: string, body: CancelMembershipInput, options: ChangeOptions = {}) =>
      call<MembershipState>('POST', `/members/${encodeURIComponent(member_id)}/cancel`, options, undefined, body),
    /** Undo a cancellation. */
    undoCancellation: (member_id: string, body: UndoCancellationInput, options: ChangeOptions = {}) =>
      call<MembershipState>('POST', `/members/${encodeURIComponent(member_id)}/undo-cancel`, options, undefined, body),
    /** Put a membership on hold; nothing is charged until it’s released. */
    holdMembership: (member_id: string, body: HoldMembershipInput, options: ChangeOptions = {}) =>
      call<MembershipState>('POST', `/members/${encodeURIComponent(member_id)}/hold`, options, undefined, body),
    /** Release a hold. */
    releaseMembership: (member_id: string, body: ReleaseMembershipInput, options: ChangeOptions = {}) =>
      call<MembershipState>('POST', `/members/${encodeURIComponent(member_id)}/release`, options, undefined, body),
    /** Correct a member’s details; fields you leave out don’t change. */
    changeDetails: (member_id: string, body: ChangeDetailsInput, options: ChangeOptions = {}) =>
      call<DetailsChange>('PATCH', `/members/${encodeURIComponent(member_id)}`, options, undefined, body),
    /** Refund part or all of a payment. */
    refundPayment: (reference: string, body: RefundPaymentInput, options: ChangeOptions = {}) =>
      call<Refund>('POST', `/payments/${encodeURIComponent(reference)}/refund`, options, undefined, body),
  }
}

/** All pages of a list: `for await (const page of pagesOf((after) => client.listMembers({ after })))` */
export async function* pagesOf<Page extends { next?: string | undefined }>(read: (after: string | undefined) => Promise<Page>): AsyncGenerator<Page> {
  for (let after: string | undefined; ; ) {
    const page = await read(after)
    yield page
    if (!page.next) return
    after = page.next
  }
}
