import type { Enrollment } from '#contract/enrollment.ts'
import type { Touch } from '#server/sponsors/touches.ts'

/** How long a browser keeps its enrollment after the last page. */
export const ENROLLMENT_COOKIE_DAYS = 30

/** An IPv4 address; or the /64 of an IPv6 one, and the /48 around it. */
export type Address = readonly [visitor: string, ...around: string[]]

/** Who is asking, as far as a use case may know. Made by the app from the request; made up freely by tests. */
export type Visitor = {
  /** What limits count by. */
  address: Address
  /** The host they asked for and the browser they say they are. */
  host: string
  agent: string
  /** A browser that fetches ahead says so; nobody is looking yet. */
  prefetch: boolean
  /** Another site's page asks, not ours. */
  isFromOtherSite: boolean
  /** The enrollment in the signed cookie. */
  cookie: string | undefined
  /** When its first page was opened. */
  since: Date | undefined
  /** The sponsors' links that were opened in this browser. */
  touches: Touch[]
  /** `{enrollment}.{attempt}`, when the caller brought a key. */
  key: AttemptKey | undefined
  /** The word of the office's cookie, and how to give or take it. */
  officeKey: string | undefined
  setOfficeCookie: (mark: string, session: { key: string; expires_at: Date }) => void
  clearOfficeCookie: () => void
  /** The mark of the member whose browser this has proved to be before, and a name for the browser; how to note it. */
  trustedBrowser: { mark: string; browser: string } | undefined
  trustBrowser: (mark: string) => void
  /** Gives the visitor the cookie of this enrollment. */
  setEnrollmentCookie: (enrollment_id: string, touches: Touch[]) => void
}

/** What somebody has who has one address of it: an IPv4 one, or the /48 of an IPv6 one. */
export const networkOf = ({ address }: Pick<Visitor, 'address'>): string => address.at(-1) ?? address[0]

export type AttemptKey = { enrollment_id: string; attempt: number }

/** Somebody has pressed the button: with what they ordered, under which key, and who they are. */
export type PaymentRequest = { order: Enrollment; key: AttemptKey; visitor: Visitor }

export const parseAttemptKey = (text: string): AttemptKey => {
  const [enrollment_id = '', attempt] = text.split('.')
  return { enrollment_id, attempt: Number(attempt) }
}
