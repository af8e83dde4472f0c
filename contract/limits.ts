/** The numbers of spec section 9, each in one place. */
export const limits = {
  name_length: 30,
  email_length: 50,
  site_length: 30,
  text_length: 100,
  password_length: 8,
  password_most: 1000,
  cvc_length: 4,
  resend_seconds: 30,
  username_pause_ms: 500,
  username_checked_from: 3,
  button_back_ms: 1000,
  expiry_years: 10,
  product_category_id: 17,
  language_id: 1,
  starter_product_id: 34,
  subscription_cents: 9900,
} as const

/** A sponsor's word in the address, which is also a username. */
export const SITE = /^[a-z0-9]{1,30}$/

/** The sponsor of everyone who came without one. */
export const MASTER = 'master'

/** Words of our own address space: no sponsor site and no username may be one of them. Marked so that no browser carries them. */
export const reservedWords: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ [
    ['master', 'api', 'office', 'console', 'assets', 'admin', 'root', 'www', 'mail', 'support', 'help', 'foyer'],
    ['livez', 'readyz', 'metrics', 'autologin', 'login', 'logout', 'signin', 'signup', 'join', 'enroll', 'account'],
    ['billing', 'legal', 'terms', 'privacy', 'security', 'status', 'static', 'public', 'robots', 'favicon', 'sitemap'],
  ].flat(),
)
