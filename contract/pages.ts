import type { OfficeView } from './office-calls.ts'
import type { FallbackStart, StartData } from './start.ts'

/** A message that an embedded part would have sent. */
export type OutboxMessage = {
  id: string
  channel: 'mail' | 'sms' | 'call'
  recipient: string
  subject: string
  body: string
  has_html: boolean
  /** The name of the file that comes with it. */
  attachment: string | null
  created_at: string
}

/** What the payment sandbox holds of one attempt. */
export type TestTransaction = {
  transaction_id: string
  reference: string
  amount: string
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded'
}

/** The sandbox, as its page shows it. */
export type TestPayments = {
  /** Newest first; nothing when it does not answer. */
  transactions: TestTransaction[] | undefined
  /** Numbers to try, and what happens with each. */
  cards: { number: string; happens: string }[]
}

/** One call as the documentation page shows it. */
export type DocumentedCall = {
  method: string
  path: string
  summary: string
  /** JSON Schemas of what goes in and what comes out. */
  input: Record<string, unknown>
  output: Record<string, unknown>
}

/**
 * Which screen of the office a page shows. The last three have a token in their address; only the script in the browser
 * reads it.
 */
export type OfficeStart =
  | { screen: 'office'; view: OfficeView }
  | { screen: 'sign-in' }
  | { screen: 'forgotten-password' }
  /** `isFromOtherSite`: opened from somewhere else than our own page, so the visitor must confirm first. */
  | { screen: 'grant-landing'; isFromOtherSite?: true }
  | { screen: 'new-password' }
  | { screen: 'confirm-email' }

/** The pages that the server sends, as HTML for the body. Made by React in web/, handed over to the server when it starts. */
export type Pages = {
  enroll: (start: StartData | FallbackStart) => string
  office: (start: OfficeStart) => string
  notFound: () => string
  /** Something broke on our side, or we are closing. */
  failed: () => string
  outbox: (messages: OutboxMessage[]) => string
  testPayments: (payments: TestPayments) => string
  docs: (calls: DocumentedCall[]) => string
}

/** What the build writes into dist/page.json: everything that stands in every page's head. */
export type PageHead = {
  /** The module script of the wizard, hashed by its content: /assets/main-….js */
  script: string
  /** The script that follows it, see web/loadSecondScript.ts; nothing in development. */
  next?: string
  /** The module script of the office's pages. */
  officeScript: string
  /** Inlined into the page with the form. */
  css: string
  /** Inlined into the office's pages and all others. */
  officeCss: string
  /** A few lines that run before the script arrives and remember what is pressed. Inlined. */
  early: string
}
