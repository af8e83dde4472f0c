/** Who tells people from programs. */
export type CaptchaGateway = {
  name: string
  /** What the browser needs to begin. */
  challenge: () => Promise<Record<string, unknown>>
  /** Good once: the same solution a second time is refused, whichever process sees it. */
  verify: (solution: string) => Promise<boolean>
}
