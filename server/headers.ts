import { createHash } from 'node:crypto'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What a page may load: our own files and the two inline pieces that we wrote, named by their hashes. */
export const pagePolicy = (inlined: { css: string; early: string }): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${hashOf(inlined.early)}`,
    `style-src ${hashOf(inlined.css)}`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** An answer that is not a page loads nothing at all. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** On every answer. */
export const safeHeaders = (production: boolean): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'x-frame-options': 'DENY',
  ...(production ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : {}),
})
