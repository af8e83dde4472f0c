/** The first path segment of a sponsor's link. A member's site is their username. */
export const SITE_PATTERN = /^[a-z0-9]{1,30}$/

/** The site in what a person enters or pastes: 'ana', '/ana' and 'https://example.com/ana?x=1' are all 'ana'. */
export function siteIn(text: string): string {
  const path = text
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/^https?:\/\/[^/]*\/*$/i, MASTER)
  return path.split('/').filter(Boolean).at(-1) ?? ''
}

/** A link, and not a name with a slash in it. */
export const isLink = (text: string): boolean => /^\s*(?:\/|https?:\/\/)/i.test(text)

/** The sponsor of visitors who come without a sponsor link. */
export const MASTER = 'master'

/** Paths of our own and other names that no site or username may use. Marked pure, so that the browser build drops them. */
export const reservedWords: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ [
    ['master', 'api', 'office', 'console', 'assets', 'admin', 'root', 'www', 'mail', 'support', 'help', 'foyer'],
    ['livez', 'readyz', 'metrics', 'autologin', 'login', 'logout', 'signin', 'signup', 'join', 'enroll', 'account'],
    ['billing', 'legal', 'terms', 'privacy', 'security', 'status', 'static', 'public', 'robots', 'favicon', 'sitemap'],
  ].flat(),
)
