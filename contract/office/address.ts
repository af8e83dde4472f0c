import { addDays } from '#contract/renewal.ts'

/** Dots of the grant token are written as '~' in the URL: an unreserved character that no token contains. */
const DOT = '~'

/** The URL an approved visitor is redirected to. It carries the grant token. */
export const officeAddress = (vo_url: string, token: string): string =>
  `${vo_url.replace(/\/+$/, '')}/autologin/grant-access/${token.replaceAll('.', DOT)}`

export const tokenFromAddress = (pathSegment: string): string => pathSegment.replaceAll(DOT, '.')

export const DAYS_BETWEEN_USERNAMES = 30

/** The first day on which a username that was changed on this day may be changed again. */
export const nextUsernameChange = (changed_on: string): string => addDays(changed_on, DAYS_BETWEEN_USERNAMES)
