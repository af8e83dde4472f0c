import { randomUUID } from 'node:crypto'
import { officeCalls } from '#contract/office/office.ts'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { testAuthenticator } from '#server/test/authenticator.ts'
import type { InProcessSite, Sender } from '../in-process-site/in-process-site.ts'

type Person = { id: string; name: string; password: string; newCookie: () => Promise<string> }
type Context = { site: InProcessSite; person: Person; sender: Sender }
type Input = Record<string, unknown>
type Prepare = (context: Context) => Input | Promise<Input>

const ask = async ({ site, person, sender }: Context, { path }: { path: string }, input: Input) =>
  (await site.post(path, input, { ...sender, cookie: await person.newCookie() })).json()

const offerApp: Prepare = async (context) => {
  const { secret, sealed } = await ask(context, officeCalls.getAppSecret, {})
  return { sealed, secret, code: codeOf(secret, stepAt(context.site.world.now())) }
}

/** Turns on an app, and returns its next code. */
const withApp: Prepare = async (context) => {
  const { secret, ...app } = await offerApp(context)
  await ask(context, officeCalls.turnOnApp, { ...app, current_password: context.person.password })
  return { code: codeOf(String(secret), stepAt(context.site.world.now()) + 1) }
}

const newPasskey = async (context: Context) => {
  const passkey = testAuthenticator(context.site.world.config.PUBLIC_URL)
  const options = await ask(context, officeCalls.getNewPasskey, { current_password: context.person.password })
  return { passkey, response: passkey.create(options) }
}

/** Adds a passkey, and lets it sign a challenge. */
const withPasskey: Prepare = async (context) => {
  const { passkey, response } = await newPasskey(context)
  await ask(context, officeCalls.addPasskey, { response })
  const signed = passkey.get(await ask(context, officeCalls.getSignInPasskey, {}))
  return { response: signed, credential_id: signed.id }
}

/** What each call about sessions and the second factor needs before it can succeed. */
export const secondFactorInputs: Record<string, Prepare> = {
  [officeCalls.endSession.path]: () => ({ id: randomUUID() }),
  [officeCalls.turnOnApp.path]: offerApp,
  [officeCalls.turnOffApp.path]: withApp,
  [officeCalls.makeRecoveryCodes.path]: withApp,
  [officeCalls.signInWithCode.path]: async (context) => {
    const { code } = await withApp(context)
    const { name, password } = context.person
    const { second_factor } = await ask(context, officeCalls.signIn, { name, password })
    return { code, token: second_factor.token }
  },
  [officeCalls.getSignInPasskey.path]: () => ({}),
  [officeCalls.addPasskey.path]: async (context) => ({ response: (await newPasskey(context)).response }),
  [officeCalls.removePasskey.path]: withPasskey,
  [officeCalls.signInWithPasskey.path]: withPasskey,
}

/** So that the password alone opens the office again. */
export async function removeFactors({ world: { db } }: InProcessSite, member_id: string): Promise<void> {
  for (const table of ['member_app', 'member_passkey', 'member_recovery'] as const)
    await db.deleteFrom(table).where('member_id', '=', member_id).execute()
}
