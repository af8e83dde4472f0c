/** Who tells people from programs. */
export type CaptchaGateway = {
  name: string
  /** What the browser needs to begin. */
  challenge: () => Promise<Record<string, unknown>>
  /** Good for one: whoever else brings the same solution is refused, whichever process sees it. */
  verify: (solution: string, used_by: string) => Promise<boolean>
}
