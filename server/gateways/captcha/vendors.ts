import type { Sources } from './port.ts'

/** Where a vendor is asked, what a page loads from it, and how its answers are to be read. */
export type Vendor = {
  siteverify: string
  script: string
  /** What the script leaves in the page: render, reset and perhaps remove. */
  global: string
  /** As the vendor documents them. For Trusted Types see docs/decisions/0010. */
  sources: Sources
  /** For how long its token is good. */
  seconds: number
  /** What it says in place of a host name when it is too busy to tell. */
  unnamedHost?: string
}

/** The page's own name for "the script is here". All three call it. */
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

/** The vendor, or whoever stands in for it at another address: script, frames and siteverify then all come from there. */
export function vendorAt(name: VendorName, base_url?: string): Vendor {
  const vendor: Vendor = vendors[name]
  if (!base_url) return vendor
  const { origin } = new URL(base_url)
  const moved = (address: string) => `${base_url}${address.slice(new URL(address).origin.length)}`
  const instead = (origins: readonly string[]) => (origins.length ? [origin] : [])
  const { script, style, connect, frame, trust } = vendor.sources
  return {
    ...vendor,
    siteverify: moved(vendor.siteverify),
    script: moved(vendor.script),
    sources: {
      script: instead(script),
      style: instead(style),
      connect: instead(connect),
      frame: instead(frame),
      trust,
    },
  }
}
