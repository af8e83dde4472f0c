import type { VendorCaptcha } from '#contract/start.ts'

/** Who tells people from programs. */
export type CaptchaGateway = {
  name: string
  /** What the browser needs to begin. */
  challenge: () => Promise<Record<string, unknown>>
  /** Good for one: whoever else brings the same solution is refused, whichever process sees it. */
  verify: (solution: string, used_by: string) => Promise<boolean>
  /** Only where another company asks the visitor: what the page shows instead of our own box, and what it loads for that. */
  vendor?: { widget: VendorCaptcha; sources: Sources }
}

/** What a page loads from a vendor, by directive, and whether the vendor's scripts keep to Trusted Types. */
export type Sources = {
  script: readonly string[]
  style: readonly string[]
  connect: readonly string[]
  frame: readonly string[]
  trust: 'ours' | 'typed' | 'untyped'
}
