import type { SecurityView } from '#contract/office/security.ts'
import type { OfficeView } from '#contract/office/view.ts'
import type { PageBrand } from './brand.ts'
import type { CreditNote, Operator } from './receipts.ts'
import type { Interval } from './renewal.ts'
import type { FallbackStart, StartData } from './start.ts'

/** A message that a sandbox gateway stored instead of sending it. */
export type OutboxMessage = {
  id: string
  channel: 'mail' | 'sms' | 'call'
  recipient: string
  subject: string
  body: string
  has_html: boolean
  /** The attachment's file name. */
  attachment: string | null
  created_at: string
  /** 'Nov 15, 2026, 12:00:00 UTC' */
  sent_at: string
}

/** One transaction in the payment sandbox. */
export type TestTransaction = {
  transaction_id: string
  reference: string
  amount: string
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded' | 'disputed'
  /** The sum of its partial refunds, if there is any. */
  refunded?: string
  is_renewal?: true
}

/** What the payment sandbox page shows. */
export type TestPayments = {
  /** Newest first; undefined when the sandbox does not answer. */
  transactions: TestTransaction[] | undefined
  /** Test card numbers, and what each one does. */
  cards: { number: string; description: string }[]
}

/** The pages about the embedded parts. Which of them exist depends on the settings. */
export type TestPage = 'outbox' | 'payments' | 'clock'

/** Something that happened to a member. */
export type ClockEvent = {
  day: string
  kind: 'joined' | 'charged' | 'declined' | 'unanswered' | 'canceled' | 'ended' | 'email'
  /** Of an email that belongs to nothing else: its recipient. */
  username: string
  amount?: string
  /** 'Visa 4242' */
  card?: string
  subject?: string
  /** The ids of the emails that were sent because of it. */
  emails: string[]
}

export type ClockMembership = {
  username: string
  state: 'active' | 'past_due' | 'canceled' | 'on_hold' | 'ended'
  amount: string
  interval: Interval
  /** When it is charged, tried again or ended. */
  next_day?: string
}

/** What the page of the test clock shows. Days are in the operator's time zone. */
export type ClockPage = {
  now: string
  time_zone: string
  today: string
  days_ahead: number
  /** The day on which the newest turn began. */
  turned_from?: string
  next_renewal?: string
  memberships: ClockMembership[]
  /** Newest first. `is_new`: during the newest turn or after it. */
  events: (ClockEvent & { is_new: boolean })[]
}

/** What the reference of the API shows. */
export type ApiReference = {
  base_url: string
  calls: DocumentedCall[]
  /** The JSON Schema of every error. */
  error: Record<string, unknown>
}

/** One call as the reference shows it. */
export type DocumentedCall = {
  name: string
  group: string
  method: string
  path: string
  summary: string
  /** JSON Schemas. */
  input: Record<string, unknown>
  /** The messages that each field can get. */
  messages: Record<string, string[]>
  mayBePending?: true
  takesIdempotencyKey?: true
  output: Record<string, unknown>
}

/**
 * The office screen that a page shows. The tokens in the URLs are left out on purpose: only the script in the browser
 * reads them, or nobody.
 */
export type OfficeStart =
  | { screen: 'office'; view: OfficeView }
  | { screen: 'security'; view: SecurityView }
  | { screen: 'credit-note'; note: CreditNote }
  | { screen: 'sign-in' }
  | { screen: 'forgotten-password' }
  /** `isFromOtherSite`: the visitor came from another site, so they must press a button before they are signed in. */
  | { screen: 'grant-landing'; isFromOtherSite?: true }
  /** `asksCard`: the address that the link was sent to is not confirmed. */
  | { screen: 'new-password'; asksCard?: true }
  | { screen: 'confirm-email' }
  /** Opened from an email about someone who joined. `state`: asking, done, or a link that is not whole. */
  | { screen: 'unsubscribe'; state: 'ask' | 'done' | 'invalid' }

/** Renders the body of each page to HTML. React components in web/ implement it; the server receives it when it starts. */
export type Pages = {
  enroll: (start: StartData | FallbackStart, brand?: PageBrand) => string
  office: (start: OfficeStart, brand?: PageBrand) => string
  /** Before its script arrives. */
  console: (brand?: PageBrand) => string
  notFound: (brand?: PageBrand) => string
  /** For people who look for what is kept elsewhere: a sentence says where. */
  elsewhere: (sentence: string, brand?: PageBrand) => string
  /** Shown after a server error, and while the server shuts down. */
  failed: (brand?: PageBrand) => string
  /** While the database is away, instead of a page that needs it. */
  oneMoment: (brand?: PageBrand) => string
  outbox: (messages: OutboxMessage[], testPages: TestPage[], brand?: PageBrand) => string
  testPayments: (payments: TestPayments, testPages: TestPage[], brand?: PageBrand) => string
  clock: (clock: ClockPage, testPages: TestPage[], brand?: PageBrand) => string
  docs: (reference: ApiReference, brand?: PageBrand) => string
  /** Follows the body of every page. */
  footer: (operator: Operator) => string
}

/** What the build writes to dist/page.json: everything that the pages' heads need. */
export type PageHead = {
  /** The wizard's module script, with a content hash in its name: /assets/main-….js */
  script: string
  /** The script loaded after it, see web/loadSecondScript.ts; undefined in development. */
  next?: string
  /** The module script of the office's pages. */
  officeScript: string
  /** The script that it imports React from, which is the wizard's; undefined in development. */
  officeImport?: string
  /** The module script of the console. */
  consoleScript: string
  /** The module script of the API reference. */
  docsScript: string
  /** The module script of the page “One moment, please”. */
  reopenScript: string
  /** Inlined into the page with the form. */
  css: string
  /** Inlined into the office's pages and all others. */
  officeCss: string
  /** Inlined into the console's page. */
  consoleCss: string
  /** A few inlined lines that run before the script arrives and record clicks. */
  early: string
}
