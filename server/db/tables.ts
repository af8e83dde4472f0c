import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Occasion, PlacementSide } from '#contract/commission.ts'
import type { Scope } from '#contract/connect/keys.ts'
import type { Role } from '#contract/console/permissions.ts'
import type { Interval } from '#contract/renewal.ts'

/** The columns that the SQL in migrations/ creates. A test compares the two. */
export type Tables = {
  sponsor: {
    id: string
    site: string
    name: string
    active: boolean
    renamed_to: string | null
    member_id: string | null
    active_until: Date | null
    picture_url: string | null
    /** A member's site: when they last took this username. */
    created_at: Date
    /** When they took it before that. */
    earlier_from: Generated<Date[]>
    /** In the last 30 full days, through this site and those that lead to it. */
    recent_visits: Generated<number>
  }
  package: {
    product_id: number
    product_category_id: number
    language_id: number
    name: string
    description: string
    image_url: string
    /** Today. */
    price_cents: number
    /** Every month or year from then on; 0 if it is paid once. */
    renewal_cents: number
    billing_interval: Interval | 'once'
    is_recurring: boolean
    is_special: boolean
    ships: boolean
    position: number
    withdrawn_at: Date | null
  }
  legal_text: { sha256: string; content: string }
  legal_document: {
    id: number
    version: number
    title: string
    status: string
    display_on_checkout: string[]
    sha256: string
  }
  legal_version: {
    document_id: number
    version: number
    title: string
    sha256: string
    published_at: Date | null
    published_by: string | null
  }
  scheduled_document: { document_id: number; title: string; sha256: string; publish_at: Date; scheduled_by: string }
  claim: { kind: 'username' | 'email'; value: string; enrollment_id: string | null }
  enrollment: { id: string; created_at: Date }
  payment: {
    enrollment_id: string
    attempt: number
    reference: string
    state: PaymentState
    amount_cents: number
    /** What has gone back so far. */
    refunded_cents: Generated<number>
    /** 0 is the first charge, n the renewal for the nth period. */
    period: number
    /** Not a scheduled charge: the member entered a new card or came back. */
    by_member: Generated<boolean>
    details: ColumnType<Details | null, string | null, string | null>
    password_hash: string | null
    gateway: string
    transaction_id: string | null
    vault_reference: string | null
    network_transaction_id: string | null
    card_brand: string | null
    card_last_four: string | null
    card_expires: string | null
    issuer_code: string | null
    decline_class: string | null
    address_check: string | null
    cvc_check: string | null
    leased_until: Date
    created_at: Date
    updated_at: Date
    /** When the gateway's records first showed a dispute, and when they showed that it was won. */
    disputed_at: Date | null
    dispute_won_at: Date | null
    /** When the money was collected. */
    captured_at: Date | null
  }
  refund: {
    id: string
    payment_reference: string
    amount_cents: number
    reason: string
    /** Canceled before it was collected: as it was asked for, and once it is done, what the gateway did. */
    is_void: boolean
    state: 'requested' | 'done' | 'refused'
    /** The number of its credit note, once it is done. */
    credit_note: number | null
    /** Our id of the refund at the gateway. */
    refund_reference: string
    /** Who asked for it. */
    who: string
    created_at: Date
    ended_at: Date | null
  }
  /** When a month's files were first made, with their hash and signature. */
  commission_month: { month: string; made_at: Date; sha256: string; key_id: string; signature: string }
  /** Every opening and closing of a dispute. The payment keeps only the newest. */
  dispute_change: { payment_reference: string; changed_at: Date; is_open: boolean }
  member: {
    id: string
    enrollment_id: string
    sponsor_id: string
    level: string
    username: string
    email: string
    password_hash: string
    first_name: string
    last_name: string
    business_name: string
    mobile_phone: string
    address: string
    address2: string
    city: string
    country: string
    state: string
    post_code: string
    joined_at: Date
    cancelled_at: Date | null
    ends_at: Date | null
    welcome_until: Date | null
    touches: number | null
    touch_seal: string | null
    join_emails: Generated<boolean>
    renewal_emails: Generated<boolean>
    joined_username: string | null
    joined_first_name: string | null
    joined_last_name: string | null
    joined_sponsor_name: string | null
    username_changed_at: Date | null
    /** Once the member was moved to another sponsor. */
    joined_sponsor_id: string | null
    erased_at: Date | null
    /** How often all sessions of the member were ended. */
    access_version: Generated<number>
    email_confirmed_at: Date | null
    /** The mail server has refused the address, and why. */
    email_bounced_at: Date | null
    email_bounce: Bounce | null
    /** A new number until the code that was sent to it is entered. */
    unconfirmed_phone: string | null
    unconfirmed_phone_at: Date | null
  }
  membership: {
    member_id: string
    state: 'active' | 'past_due' | 'ended'
    anchor_on: string
    anchor_period: number
    period: number
    declines: number
    due_at: Date | null
    on_hold_since: Date | null
    hold_reason: string | null
    lines: JSONColumnType<RenewalLine[]>
    vault_reference: string
    card_brand: string | null
    card_last_four: string | null
    card_expires: string | null
    network_transaction_id: string | null
    series_cents: number | null
    never_retry_since: Date | null
    billing_interval: Interval
    notice_at: Date | null
    /** As in the member's row, for lists that follow an index of this table. */
    joined_at: Date
    /** A later period that is not charged. */
    waived_period: number | null
    /** The newest period that an email was written about, for members who asked for one before each charge. */
    notified_period: number | null
  }
  period: {
    member_id: string
    n: number
    starts_on: string
    ends_on: string
    amount_cents: number
    lines: JSONColumnType<RenewalLine[]>
    state: 'due' | 'paid' | 'waived' | 'unpaid'
    /** At its end, because the renewal day was moved. */
    free_days: Generated<number>
    /** We couldn't charge from that day until this period began, and the member isn't told yet. */
    missed_from: string | null
  }
  price_change: {
    id: string
    product_id: number
    old_cents: number
    new_cents: number
    notice_days: number
    reason: string
    made_by: string
    made_at: Date
    done_at: Date | null
    told: number
    reached: string | null
  }
  /** How much a paid price counts, in hundredths. A change is a new row. */
  price_volume: {
    id: string
    product_id: number
    occasion: Occasion
    price_cents: number
    business_volume: number
    commissionable_volume: number
    set_by: string
    set_at: Date
  }
  picture: { name: string; member_id: string; content: Uint8Array }
  catalog_picture: { name: string; content: Uint8Array }
  orders: {
    id: string
    member_id: string
    attempt: number
    grand_total: number
    ship_address: string
    ship_address2: string
    ship_city: string
    ship_country: string
    ship_state: string
    ship_zip_code: string
    created_at: Date
  }
  order_line: {
    order_id: string
    product_id: number
    list: string
    name: string
    price_cents: number
    /** What the member agreed to pay for it every month or year. */
    renewal_cents: number
    billing_interval: Interval | 'once'
  }
  acceptance: {
    member_id: string
    agreement: 'agreement_1' | 'agreement_2'
    title: string
    version: number
    sha256: string
    accepted_at: Date
  }
  job: {
    id: string
    kind: string
    payload: JSONColumnType<Record<string, string | number>>
    run_at: Date
    leased_until: Date | null
    tries: Generated<number>
    last_error: string | null
    done_at: Date | null
  }
  phone_check: {
    enrollment_id: string
    mobile_phone: string
    sends: number
    sent_at: Date
    verified_at: Date | null
  }
  sandbox_code: { mobile_phone: string; code_hash: string; tries: number; expires_at: Date }
  message: {
    id: string
    channel: 'mail' | 'sms' | 'call'
    recipient: string
    subject: string
    body: string
    html: Generated<string>
    attachment: ColumnType<Attachment | null, string | null, never>
    created_at: Date
  }
  limit_count: { name: string; key: string; window_start: Date; count: number; expires_at: Date }
  open_use: { reference: string; id: string; uses: JSONColumnType<OpenUse[]>; expires_at: Date }
  one_time_key: {
    kind: KeyKind
    key: string
    used_by: string | null
    expires_at: Date
  }
  lease: { name: 'code' | 'reconciliation'; key: string; expires_at: Date }
  /** passed: its outcome is still unknown, and the visitor has chosen to try again. */
  provider_attempt: {
    enrollment_id: string
    attempt: number
    reference: string
    state: 'sent' | 'approved' | 'declined' | 'refused' | 'unknown' | 'passed'
    sent_at: Date
    expires_at: Date
  }
  api_key: {
    id: string
    name: string
    /** SHA-256. The key itself is stored nowhere. */
    key_hash: string
    /** Its last four characters, to recognize it by. */
    ending: string
    scopes: Scope[]
    created_at: Date
    created_by: string | null
    used_on: string | null
    ends_at: Date | null
    revoked_at: Date | null
  }
  api_answer: {
    key_id: string
    idempotency_key: string
    request_hash: string
    answer: JSONColumnType<Record<string, unknown>>
    expires_at: Date
  }
  breaker: { name: 'declines' | 'codes'; open_until: Date; closed_at: Date | null }
  breaker_trip: { breaker: 'declines' | 'codes'; tripped_at: Date; expires_at: Date }
  breaker_event: {
    breaker: 'declines' | 'codes'
    at: Date
    kind: 'tripped' | 'opened' | 'closed'
    open_until: Date | null
    expires_at: Date
  }
  network_block: { id: string; network: string; note: string; created_at: Date; expires_at: Date }
  joining_pause: { id: number; message: string; created_at: Date; ends_at: Date | null }
  limit_refusal: { name: string; hour: Date; count: number; expires_at: Date }
  reconciliation_run: { finished_at: Date; expires_at: Date }
  /** A discrepancy. The stored name stays, because processes of two versions share this table during an update. */
  difference: {
    reference: string
    kind: string
    transaction_id: string | null
    ours: string
    theirs: string
    found_at: Date
    cleared_at: Date | null
    resolved_at: Date | null
    reason: string | null
    resolved_by: string | null
    /** Of a dispute: the bank returned the money. */
    is_lost: Generated<boolean>
  }
  server_key: {
    name: string
    version: number
    sealed: string
    created_at: Date
    /** It is published earlier, so that nobody meets a signature whose key they do not know. */
    used_from: Date
    retired_at: Date | null
    revoked_at: Date | null
  }
  csp_report: { day: string; directive: string; blocked: string; page: string; count: number; expires_at: Date }
  office_session: {
    id: Generated<string>
    key_hash: string
    member_id: string
    device: Generated<string>
    created_at: Date
    idle_until: Date
    expires_at: Date
  }
  member_app: { member_id: string; sealed: string; step: number; created_at: Date }
  member_passkey: {
    credential_id: string
    member_id: string
    public_key: string
    counter: number
    transports: string[]
    name: string
    created_at: Date
    used_at: Date | null
  }
  member_recovery: { member_id: string; key_hash: string }
  pending_sign_in: {
    key_hash: string
    member_id: string
    access_version: number
    tries: Generated<number>
    expires_at: Date
  }
  email_link: {
    key_hash: string
    /** An 'address' link confirms the address that the member already has. */
    purpose: 'password' | 'email' | 'address' | 'invitation'
    member_id: string
    email: string | null
    created_at: Date
    expires_at: Date
    tries: Generated<number>
    by_staff: Generated<boolean>
  }
  sponsor_touch: {
    enrollment_id: string
    position: number
    site: string
    why: 'opened' | 'chosen' | 'ordered' | 'imported'
    touched_at: Date
    hash: string
  }
  sponsor_move: {
    id: string
    member_id: string
    from_id: string
    to_id: string
    /** Null once erased. */
    reason: string | null
    moved_by: string | null
    moved_at: Date
  }
  /** Where staff want a commission plan to put a member. The newest counts; without one: automatic, under the sponsor. */
  placement_move: {
    id: string
    member_id: string
    /** Null: the sponsor. */
    parent_id: string | null
    side: PlacementSide
    /** Null once erased. */
    reason: string | null
    moved_by: string | null
    moved_at: Date
  }
  page_hit: { site: string; day: string; visitor: string }
  page_day: { site: string; day: string; visits: number; is_recent: Generated<boolean> }
  staff: {
    id: string
    email: string
    name: string
    role: Role
    password_hash: string | null
    totp_sealed: string | null
    totp_step: Generated<number>
    created_at: Date
    removed_at: Date | null
  }
  staff_passkey: {
    credential_id: string
    staff_id: string
    public_key: string
    counter: number
    transports: string[]
    name: string
    created_at: Date
    used_at: Date | null
  }
  staff_recovery: { staff_id: string; key_hash: string }
  staff_invitation: {
    id: string
    key_hash: string
    email: string | null
    role: Role
    invited_by: string | null
    created_at: Date
    expires_at: Date
  }
  console_session: {
    key_hash: string
    staff_id: string
    method: 'passkey' | 'password'
    created_at: Date
    idle_until: Date
    proved_until: Date
    expires_at: Date
  }
  audit: {
    position: number
    at: Date
    /** `act` is what we call an action now. Both stored names stay: every hash of the chain covers them. */
    kind: 'act' | 'security'
    act: string
    staff_id: string | null
    role: string
    subject_kind: string
    subject: string
    details: string | null
    details_salt: string | null
    details_hash: string
    /** A keyed hash. Null in rows from before it was kept, and where no browser was involved. */
    network: string | null
    hash: string
  }
  security_event: {
    id: string
    position: Generated<number | null>
    at: Date
    last_at: Date
    kind: string
    member_id: string | null
    staff_id: string | null
    network: string | null
    details: string
    count: number
    slot: Generated<string | null>
    hash: Generated<string | null>
  }
  audit_head: { id: number; position: number; hash: string }
  member_event: { member_id: string; at: Date; kind: 'email' | 'sign_in' | 'membership'; what: string }
  brand: {
    id: number
    name: string | null
    accent: string | null
    radius: string | null
    support: string | null
    email_footer: string | null
    welcome: string | null
    logo: string | null
    updated_at: Date
  }
  brand_logo: { name: string; content: Uint8Array; created_at: Date }
  funnel_hit: { day: string; step: string; visitor: string }
  funnel_day: { day: string; step: string; site: string; device: string; source: string; count: number }
  funnel_field: { day: string; field: string; count: number }
  funnel_message: { day: string; field: string; message: string; count: number }
  /** Written with the change that it tells. It gets its position once that is committed. */
  new_event: {
    written: Generated<number>
    id: string
    type: string
    version: number
    member_id: string | null
    at: Date
    payload: JSONColumnType<Record<string, unknown>>
  }
  event: {
    position: number
    id: string
    type: string
    version: number
    member_id: string | null
    at: Date
    payload: JSONColumnType<Record<string, unknown>>
  }
  /** `place` tells a restored or promoted database from the one before. */
  feed: { id: number; position: number; place: string }
  feed_epoch: { n: number; epoch: string; after_position: number; started_at: Date }
  webhook_endpoint: {
    id: string
    url: string
    description: string
    /** With spaces between; empty: all. */
    types: string
    scheme: 'hmac' | 'ed25519'
    sealed: string
    previous_sealed: string | null
    previous_until: Date | null
    /** 'off': by staff. 'gone' and 'failing': because of what it answered. */
    state: 'on' | 'off' | 'gone' | 'failing'
    state_at: Date
    /** Of the last event that has its delivery. */
    position: number
    failing_since: Date | null
    failed_at: Date | null
    /** The receiver asked for a pause. */
    resume_at: Date | null
    lease: string | null
    leased_until: Date | null
    created_at: Date
  }
  webhook_delivery: {
    id: string
    endpoint_id: string
    event_id: string
    /** Null for a test. */
    position: number | null
    type: string
    member_id: string | null
    /** 'waiting': for the member's earlier event. 'pending': until `next_at`. */
    state: 'waiting' | 'pending' | 'delivered' | 'failed'
    tries: Generated<number>
    next_at: Date | null
    status: number | null
    answer: string | null
    took_ms: number | null
    happened_at: Date
    tried_at: Date | null
  }
  built_file: { name: string; content: Uint8Array; seal: string; kept_at: Date }
  member_import: {
    id: string
    /** Which system the file's external ids belong to. */
    connection: string
    state: 'reading' | 'checking' | 'checked' | 'writing' | 'done' | 'stopped'
    /** Of checking, and how far it is. */
    step: number
    reached: number
    /** Of the file that have arrived. */
    pieces: number
    lines: number
    /** Its number in the file. */
    last_line: number
    problems: number
    /** Lines about members who are here already. */
    existing: number
    added: number
    /** Email everyone a link to set a password. */
    is_inviting: boolean
    /** 'command line' or the id of a colleague. */
    started_by: string | null
    created_at: Date
    expires_at: Date
  }
  import_line: {
    import_id: string
    line: number
    username: string
    /** As it is claimed. */
    email: string
    external_id: string | null
    sponsor_site: string
    answers: JSONColumnType<ImportedAnswers>
    state: 'new' | 'existing' | 'failed'
    /** The line of the sponsor, and how many sponsors of the file are above it. */
    parent_line: number | null
    depth: number | null
  }
  import_problem: { import_id: string; line: number; column_name: string; problem: string }
  imported_member: { member_id: string; import_id: string; imported_at: Date; invited_at: Date | null }
  /** The name of a member in another system. */
  external_id: { connection: string; value: string; member_id: string }
}

/** What a line of an import says about a member, checked and tidied. */
export type ImportedAnswers = Pick<
  Tables['member'],
  | 'email'
  | 'first_name'
  | 'last_name'
  | 'business_name'
  | 'mobile_phone'
  | 'address'
  | 'address2'
  | 'city'
  | 'country'
  | 'state'
  | 'post_code'
> &
  Pick<
    Tables['membership'],
    'vault_reference' | 'card_brand' | 'card_last_four' | 'card_expires' | 'network_transaction_id'
  > & {
    joined_on: string
    /** The next renewal, the end of a canceled membership, or the day on which it ended. */
    renews_on: string | null
    membership: 'active' | 'past_due' | 'canceled' | 'ended'
    product_id: number
    renewal_cents: number
  }

/** One count of an open attempt, in a row of limit_count. */
export type OpenUse = { name: string; key: string; window_start: string }

/** A part of a membership that is paid again every month or year. */
export type RenewalLine = {
  product_id: number
  name: string
  renewal_cents: number
  /** A higher price that was announced, for periods that begin on this day or later. */
  announced?: {
    renewal_cents: number
    from_on: string
    /** The email has not been sent yet. */
    is_untold?: true | undefined
    /** The day on which it was written. */
    queued_on?: string
    /** Of the newest email about it. An older one that is still waiting isn't sent. */
    notice_id?: string
  }
}

/** Why a mail server refuses an address for good. */
export type Bounce = 'unknown' | 'closed' | 'malformed'

/** A file attached to an email. */
export type Attachment = { filename: string; content: string }

export type KeyKind =
  | 'grant'
  | 'letter'
  | 'captcha'
  | 'passkey'
  | 'phone'
  | 'staff_guesses'
  | 'audit_seal'
  | 'members_read'
  | 'commit'

export type PaymentState =
  | 'reserved'
  | 'authorizing'
  | 'authorized'
  | 'enrolled'
  | 'captured'
  | 'declined'
  | 'unknown'
  | 'review'
  | 'abandoned'
  | 'voided'
  | 'capture_failed'
  | 'refunded'
  | 'disputed'

/** What an attempt stores so that any process can create the member later. Never card, CVC or password. */
export type Details = {
  sponsor_id: string
  member: Pick<
    Tables['member'],
    | 'username'
    | 'email'
    | 'first_name'
    | 'last_name'
    | 'business_name'
    | 'mobile_phone'
    | 'address'
    | 'address2'
    | 'city'
    | 'country'
    | 'state'
    | 'post_code'
  >
  shipping: Pick<
    Tables['orders'],
    'ship_address' | 'ship_address2' | 'ship_city' | 'ship_country' | 'ship_state' | 'ship_zip_code'
  >
  lines: Omit<Tables['order_line'], 'order_id'>[]
  acceptances: Omit<Tables['acceptance'], 'member_id' | 'accepted_at'>[]
}
