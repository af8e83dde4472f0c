/** A sponsor's word in the address, which is also a username. */
export const SITE_PATTERN = /^[a-z0-9]{1,30}$/

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
