/**
 * The first path segment of a sponsor's link: letters, digits, hyphens, underscores and dots. A member's site is their
 * username. No dot at either end; two underscores begin the addresses of our own test pages.
 */
export const SITE_PATTERN = /^(?!__|.*\.$)(?=.*[a-z0-9])[a-z0-9_-][a-z0-9._-]{0,59}$/

export const SITE_RULE = 'Please use 1 to 60 letters, digits, hyphens, underscores and dots, with no dot at either end.'

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

/** Paths of our own. They never lead to a sponsor, even where nothing answers. */
const ourPaths = ['api', 'assets', 'office', 'console', 'livez', 'readyz', 'metrics', 'autologin', 'static', 'public']

/** Names that no site or username may use. Marked pure, so that the browser build drops them. */
export const reservedWords: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ [
    ourPaths,
    ['master', 'admin', 'root', 'www', 'mail', 'support', 'help', 'foyer'],
    ['login', 'logout', 'signin', 'signup', 'join', 'enroll', 'account', 'status'],
    ['billing', 'legal', 'terms', 'privacy', 'security', 'robots', 'favicon', 'sitemap'],
  ].flat(),
)

/** Files that robots and scanners ask every host for, such as '/.env', '/robots.txt' and '/wp-login.php'. */
const FILE =
  /^\.|\.(?:html?|php\d?|aspx?|jsp|cgi|txt|xml|json|m?js|css|map|ico|png|jpe?g|gif|svg|webp|webmanifest|env|git|sql|bak|zip|t?gz|log|ini|ya?ml)$/

export const looksLikeFile = (word: string): boolean => FILE.test(word)

/** A path that is answered by a page or file of ours, or by nothing. */
export const isOurPath = (word: string): boolean =>
  ourPaths.includes(word) || word.startsWith('__') || looksLikeFile(word)

/** A word that a sponsor can have as a site. */
export const isSite = (word: string): boolean =>
  SITE_PATTERN.test(word) && !isOurPath(word) && (word === MASTER || !reservedWords.has(word))
