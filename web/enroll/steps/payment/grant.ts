/** Opens the office once, within a minute. Without a token the member signs in there. */
export type Grant = { token: string; vo_url: string }

type GrantOptions = {
  /** The spec stores the token. */
  saveToken: (token: string) => void
  now: () => number
}

/** The server accepts a grant for 60 s. */
const GRANT_LIFETIME_MS = 45_000

/** What an approved payment opens the office with. */
export function createGrant({ saveToken, now }: GrantOptions) {
  let grant: (Grant & { received_at: number }) | undefined
  let needsSignIn = false
  return {
    receive({ token, vo_url }: Grant) {
      grant = { token, vo_url, received_at: now() }
      needsSignIn = !token
      if (token) saveToken(token)
    },
    signInUrl: () => (needsSignIn ? grant?.vo_url : undefined),
    isFresh: () => grant !== undefined && grant.token !== '' && now() - grant.received_at < GRANT_LIFETIME_MS,
    /** Hands over the token, which works once. */
    take(): Grant {
      const { token = '', vo_url = '' } = grant ?? {}
      if (grant) grant.token = ''
      return { token, vo_url }
    },
  }
}
