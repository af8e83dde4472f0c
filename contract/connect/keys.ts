/** What an API key may do. Each call of the API names one line of this table. */
export const scopes = {
  'members:read': 'Read members, their contact details, and the lines above and below them',
  'members:write': 'Cancel, resume and hold memberships, correct details',
  'payments:read': 'Read payments and refunds',
  'payments:refund': 'Refund payments',
  'sponsors:read': 'Read sponsors and their links',
  'packages:read': 'Read packages and prices',
  'events:read': 'Read events as they happen',
} as const satisfies Record<string, string>

export type Scope = keyof typeof scopes
export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]]
export const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name)

/** What a key is made from. Its last day is one in the operator's time zone; without one it has no end. */
export type NewKey = { name: string; scopes: Scope[]; ends_on?: string | undefined }

/** How many keys can be in use. */
export const KEYS_AT_MOST = 100

/** How every key begins. */
export const KEY_PREFIX = 'foyer_live_'

/** What scanners look for: thirty random characters, and six that are their checksum. */
export const KEY_PATTERN = /foyer_live_[0-9A-Za-z]{36}/
