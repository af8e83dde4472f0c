import { expect, it } from 'vitest'
import { vendorAt } from '#server/gateways/captcha/vendors.ts'
import { pagePolicy, safeHeaders } from './headers.ts'

const head = { css: 'body{margin:0}', early: '0' }
const early = "'sha256-X+zrZv/IbzjZUnhsbWlsecLbwjndTpG0ZynXOif7V+k='"
const css = "'sha256-IAdwN3biDCQ3brrgp1m8kBEsPQYyqfREKOEfeoREopc='"

const policyOf = (...[name, base_url]: Parameters<typeof vendorAt>) =>
  Object.fromEntries(
    pagePolicy(head, vendorAt(name, base_url).sources)
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive.slice(directive.indexOf(' ') + 1)]),
  )

/** The same with every captcha. */
const common = {
  'default-src': "'none'",
  'img-src': "'self'",
  'font-src': "'self'",
  'manifest-src': "'self'",
  'worker-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'report-uri': '/api/csp-reports',
}

it('7.1 a page only loads our own files', () => {
  expect(pagePolicy(head)).toBe(
    `default-src 'none'; script-src 'self' ${early}; style-src ${css}; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types foyer-legal; report-uri /api/csp-reports`,
  )
})

it('7.1 a captcha vendor adds exactly its own origins', () => {
  expect(policyOf('turnstile')).toEqual({
    ...common,
    'script-src': `'self' ${early} https://challenges.cloudflare.com`,
    'style-src': css,
    'connect-src': "'self'",
    'frame-src': 'https://challenges.cloudflare.com',
  })
  expect(policyOf('hcaptcha')).toEqual({
    ...common,
    'script-src': `'self' ${early} https://hcaptcha.com https://*.hcaptcha.com`,
    'style-src': `${css} https://hcaptcha.com https://*.hcaptcha.com`,
    'connect-src': "'self' https://hcaptcha.com https://*.hcaptcha.com",
    'frame-src': 'https://hcaptcha.com https://*.hcaptcha.com',
  })
  expect(policyOf('recaptcha')).toEqual({
    ...common,
    'script-src': `'self' ${early} https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/`,
    'style-src': css,
    'connect-src': "'self'",
    'frame-src': 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    'require-trusted-types-for': "'script'",
    'trusted-types': '*',
  })
})

it('7.1 another base URL replaces the vendor’s origins', () => {
  expect(policyOf('recaptcha', 'http://127.0.0.1:9')).toMatchObject({
    'script-src': `'self' ${early} http://127.0.0.1:9`,
    'frame-src': 'http://127.0.0.1:9',
    'connect-src': "'self'",
  })
})

it('7.9 other hosts of the domain may still use plain http, unless the operator says otherwise', () => {
  const hsts = (HSTS_SUBDOMAINS: boolean, production = true) =>
    safeHeaders({ production, HSTS_SUBDOMAINS })['strict-transport-security']
  expect(hsts(false)).toBe('max-age=63072000')
  expect(hsts(true)).toBe('max-age=63072000; includeSubDomains')
  expect(hsts(true, false)).toBeUndefined()
})
