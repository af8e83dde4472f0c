import { hash } from 'node:crypto'
import type { Sources } from '#server/gateways/captcha/port.ts'

const hashOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/** Where browsers report what a policy has stopped. */
export const REPORTS_PATH = '/api/csp-reports'

export const noSources: Sources = { script: [], style: [], connect: [], frame: [], trust: 'ours' }

/** What scripts may turn into markup or code: legal documents (web/dialog/LegalText.tsx), what their own policies allow, or anything. */
const trustedTypes = {
  ours: ["require-trusted-types-for 'script'", 'trusted-types foyer-legal'],
  typed: ["require-trusted-types-for 'script'", 'trusted-types *'],
  untyped: [],
} as const satisfies Record<Sources['trust'], string[]>

/** The Content-Security-Policy of a page: our own files, our inline styles and script by their hashes, and a vendor's sources. */
export const pagePolicy = (inline: { css: string; early: string }, others: Sources = noSources): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", hashOf(inline.early), ...others.script].join(' '),
    ['style-src', hashOf(inline.css), ...others.style].join(' '),
    "img-src 'self'",
    "font-src 'self'",
    ["connect-src 'self'", ...others.connect].join(' '),
    ...(others.frame.length ? [['frame-src', ...others.frame].join(' ')] : []),
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...trustedTypes[others.trust],
    `report-uri ${REPORTS_PATH}`, // every browser sends it at once; with report-to, Chromium would wait up to a minute and send nothing else
  ].join('; ')

/** The same policy for a page that the console shows in a frame. */
export const allowOwnFrame = (policy: string): string =>
  policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'")

/** The same policy for a page with one more inline style sheet. */
export const allowStyle = (policy: string, css: string): string =>
  policy.replace(/(?<=^|; )style-src /, `style-src ${hashOf(css)} `)

/** A reply that is not a page may load nothing. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/**
 * For a sign-out. Only the cache, which also drops pages that the back button would show again. Not "cookies": they would go for the
 * whole domain, with the mark of a trusted browser, the cookie of an enrollment, and sign-ins to the operator's other sites. Not
 * "storage": another tab may hold a half-filled form. Browsers take it over https only.
 */
export const clearedAtSignOut = '"cache"'

type HeaderSettings = { production: boolean; HSTS_SUBDOMAINS: boolean }

/** A browser that has seen it refuses plain http for two years. Other hosts of the operator's domain may still need that. */
const onlyHttps = ({ HSTS_SUBDOMAINS }: HeaderSettings) =>
  `max-age=63072000${HSTS_SUBDOMAINS ? '; includeSubDomains' : ''}`

/** On every reply. */
export const safeHeaders = (settings: HeaderSettings): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'x-frame-options': 'DENY',
  ...(settings.production ? { 'strict-transport-security': onlyHttps(settings) } : {}),
})

/** On every reply that is not a page. */
export const dataHeaders = (settings: HeaderSettings): Record<string, string> => ({
  ...safeHeaders(settings),
  'content-security-policy': dataPolicy,
  'cache-control': 'no-store',
})
