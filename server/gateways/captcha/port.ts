import type { PageCaptcha, VendorCaptcha } from '#contract/start.ts'

/** Tells people from bots. */
export type CaptchaGateway = {
  name: string
  /** What the browser needs to start. */
  challenge: () => Promise<Record<string, unknown>>
  /** A solution is valid for one user only, across all processes. */
  verify: (solution: string, used_by: string) => Promise<boolean>
  /** No call needs a solution. */
  isOff?: true
  /** Only for third-party captchas: the widget that replaces ours, and what the page loads for it. */
  vendor?: { widget: VendorCaptcha; sources: Sources }
}

/** The vendor's sources by CSP directive, and whether its scripts support Trusted Types. */
export type Sources = {
  script: readonly string[]
  style: readonly string[]
  connect: readonly string[]
  frame: readonly string[]
  trust: 'ours' | 'typed' | 'untyped'
}

/** What a page needs to know about a vendor's captcha. Nothing for our own. */
export function captchaOf({ isOff, vendor }: CaptchaGateway): { captcha?: PageCaptcha } {
  if (isOff) return { captcha: 'off' }
  return vendor ? { captcha: vendor.widget } : {}
}
