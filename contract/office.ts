/** The grant's dots are written '~' in an address: unreserved, and never part of a token. */
const DOT = '~'

/** Where an approved visitor is sent: the office's door with the grant in its address. */
export const officeAddress = (vo_url: string, token: string): string =>
  `${vo_url.replace(/\/+$/, '')}/autologin/grant-access/${token.replaceAll('.', DOT)}`

/** The grant back from the address. */
export const tokenFromAddress = (written: string): string => written.replaceAll(DOT, '.')
