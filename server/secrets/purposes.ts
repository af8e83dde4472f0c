/**
 * What keyed hashes are for. Each purpose has a key of its own, so that a hash for one is worthless for another. The table says
 * for how many days after a key was replaced its hashes still count.
 */
type Rule = {
  days: number
  /** Also after a key was revoked: such a hash finds a row again, and whoever knows the key gains nothing. */
  evenRevoked?: true
}

const always: Rule = { days: Number.POSITIVE_INFINITY, evenRevoked: true }
const never: Rule = { days: 0 }

/** Longer than any window that a limit should have. Until then uses are counted under both keys. */
const counted: Rule = { days: 8, evenRevoked: true }

export const purposes = {
  cookies: { days: 30 }, // as long as the cookie of an enrollment
  marks: { days: 30 },
  'passkey challenges': { days: 1 },
  captcha: { days: 1 },
  codes: { days: 1 },
  'built files': { days: 30 }, // they are sealed again every day
  limits: counted,
  cards: counted,
  'page hits': never, // a visitor may count twice on the day of the change
  funnel: never,
  'letter keys': never, // a link in an email is always made with the key of its own time
  unsubscribe: always,
  'recovery codes': always,
  audit: always,
  'audit details': always,
  'security event': always,
  'security network': always,
  'api cursors': { days: 8 },
  'api requests': counted, // older than a stored answer
} as const satisfies Record<string, Rule>

export type Purpose = keyof typeof purposes

const DAY_MS = 86_400_000

type Lifetime = { retired_at: Date | null; revoked_at: Date | null }

/** Whether hashes of a key still count for a purpose. They also do before it is used: another clock may be ahead of ours. */
export function isAccepted({ retired_at, revoked_at }: Lifetime, purpose: Purpose, now: Date): boolean {
  const { days, evenRevoked }: Rule = purposes[purpose]
  if (revoked_at && revoked_at <= now && !evenRevoked) return false
  return !retired_at || now.getTime() < retired_at.getTime() + days * DAY_MS
}
