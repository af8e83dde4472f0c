import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { testAuthenticator } from './authenticator.ts'
import { memberInOffice } from './member.ts'
import type { Site } from './site.ts'

/** A member in the office who has turned on an authenticator app. */
export async function memberWithApp(site: Site) {
  const member = await memberInOffice(site)
  const { cookie, password } = member
  const { secret, sealed } = (await site.post('office/security/app-secret', {}, { cookie })).json()
  const code = () => codeOf(secret, stepAt(site.world.now()))
  const reply = await site.post('office/security/app', { sealed, code: code(), current_password: password }, { cookie })
  if (reply.statusCode !== 200) throw new Error(reply.body)
  site.advance(30) // the first code is used up
  return { ...member, secret: String(secret), code, recovery_codes: reply.json().recovery_codes as string[] }
}

/** A member in the office who has added a passkey. */
export async function memberWithPasskey(site: Site) {
  const member = await memberInOffice(site)
  const passkey = testAuthenticator(site.world.config.PUBLIC_URL)
  const { cookie, password: current_password } = member
  const options = (await site.post('office/security/passkey-options', { current_password }, { cookie })).json()
  const reply = await site.post('office/security/passkey', { response: passkey.create(options) }, { cookie })
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return { ...member, passkey, recovery_codes: reply.json().recovery_codes as string[] }
}

/** Signs in with the password, and returns the token that the second factor needs. */
export const beginSignIn = async (site: Site, { username: name, password }: { username: string; password: string }) =>
  String((await site.post('office/sign-in', { name, password })).json().second_factor?.token)
