import type { Enrollment } from '#contract/enrollment.ts'
import type { AttemptKey } from '#server/payments/attempt-key.ts'
import type { Touch } from '#server/sponsors/touches.ts'

/** How long a browser keeps its enrollment after the last page view. */
export const ENROLLMENT_COOKIE_DAYS = 30

/** An IPv4 address, or the /64 of an IPv6 address followed by its /48. */
export type Address = readonly [visitor: string, ...around: string[]]

/** Who sent a request. server/http/request.ts reads it from the request. */
export type Visitor = {
  /** Limits count by it. */
  address: Address
  /** From the Host and User-Agent headers. */
  host: string
  agent: string
  /** The page that sent the request, from the Referer header; '' if unknown. */
  pageUrl: string
  /** The browser fetches the page ahead of time; the visitor has not opened it. */
  prefetch: boolean
  /** A page of another site sent the request. */
  isFromOtherSite: boolean
  /** The enrollment id in the signed cookie. */
  enrollment_id: string | undefined
  /** When its first page was opened. */
  firstPageAt: Date | undefined
  /** The sponsors' links that were opened in this browser. */
  touches: Touch[]
  /** From the Idempotency-Key header. */
  key: AttemptKey | undefined
  /** The session key in the office's cookie. */
  officeKey: string | undefined
  setOfficeCookie: (mark: string, session: { key: string; expires_at: Date }) => void
  clearOfficeCookie: () => void
  /** Set when a member has signed in with this browser before: a mark of the member, and an id of the browser. */
  trustedBrowser: { mark: string; browser: string } | undefined
  trustBrowser: (mark: string) => void
  /** The session key in the console's cookie. */
  consoleKey: string | undefined
  setConsoleCookie: (session: { key: string; expires_at: Date }) => void
  clearConsoleCookie: () => void
  setEnrollmentCookie: (enrollment_id: string, touches: Touch[]) => void
}

/** The network that a visitor controls: one IPv4 address, or the /48 of an IPv6 address. */
export const networkOf = ({ address }: Pick<Visitor, 'address'>): string => address.at(-1) ?? address[0]

/** One submission of the payment form. */
export type PaymentRequest = { order: Enrollment; key: AttemptKey; visitor: Visitor }
