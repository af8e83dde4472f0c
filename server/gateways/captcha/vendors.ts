import type { Sources } from './port.ts'

/** A vendor's API, and what the page loads from it. */
export type Vendor = {
  siteverify: string
  script: string
  /** The global object that the script defines, with render, reset and sometimes remove. */
  global: string
  /** As the vendor documents them. For Trusted Types see docs/decisions/0010. */
  sources: Sources
  /** How long a token is valid. */
  seconds: number
  /** The host name in its response when it is too busy to look it up. */
  unnamedHost?: string
}

/** The callback that the vendor's script calls once it has loaded. */
export const ONLOAD = 'foyerCaptcha'
const scriptQuery = `onload=${ONLOAD}&render=explicit`

export const vendors = {
  turnstile: {
    siteverify: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    script: `https://challenges.cloudflare.com/turnstile/v0/api.js?${scriptQuery}`,
    global: 'turnstile',
    sources: {
      script: ['https://challenges.cloudflare.com'],
      style: [],
      connect: [],
      frame: ['https://challenges.cloudflare.com'],
      trust: 'untyped',
    },
    seconds: 300,
  },
  hcaptcha: {
    siteverify: 'https://api.hcaptcha.com/siteverify',
    script: `https://js.hcaptcha.com/1/api.js?${scriptQuery}`,
    global: 'hcaptcha',
    sources: {
      script: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
      style: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
      connect: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
      frame: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
      trust: 'untyped',
    },
    seconds: 120,
    unnamedHost: 'not-provided',
  },
  recaptcha: {
    siteverify: 'https://www.google.com/recaptcha/api/siteverify',
    script: `https://www.google.com/recaptcha/api.js?${scriptQuery}&trustedtypes=true`,
    global: 'grecaptcha',
    sources: {
      script: ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
      style: [],
      connect: [],
      frame: ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
      trust: 'typed',
    },
    seconds: 120,
  },
} as const satisfies Record<string, Vendor>

export type VendorName = keyof typeof vendors

/** The vendor, with script, frames and siteverify at another base URL if there is one. */
export function vendorAt(name: VendorName, base_url?: string): Vendor {
  const vendor: Vendor = vendors[name]
  if (!base_url) return vendor
  const { origin } = new URL(base_url)
  const atBaseUrl = (address: string) => `${base_url}${address.slice(new URL(address).origin.length)}`
  const replaceOrigins = (origins: readonly string[]) => (origins.length ? [origin] : [])
  const { script, style, connect, frame, trust } = vendor.sources
  return {
    ...vendor,
    siteverify: atBaseUrl(vendor.siteverify),
    script: atBaseUrl(vendor.script),
    sources: {
      script: replaceOrigins(script),
      style: replaceOrigins(style),
      connect: replaceOrigins(connect),
      frame: replaceOrigins(frame),
      trust,
    },
  }
}
