import type { AppSecret } from '#contract/credentials.ts'
import { brandOf } from '#server/brand/brand.ts'
import { qrCodePath } from '#server/members/qr-code.ts'
import { refuseField } from '#server/refusal.ts'
import { STAFF_APP } from '#server/secrets/key-rows.ts'
import type { World } from '#server/world/world.ts'
import { appAddress, findStep, newSecret } from './totp.ts'

/** Whose apps these are. A secret that was sealed for one cannot be used for the other. */
const sealedFor = { staff: STAFF_APP, member: 'member authenticator app' }
type Owner = keyof typeof sealedFor

/** Authenticator apps follow the real clock, even where ours was advanced. */
const realTime = ({ now, testClock }: World) => new Date(now().getTime() - (testClock?.aheadMs() ?? 0))

/** A new secret, which becomes valid once a code of it comes back. */
export async function offerAppSecret(world: World, owner: Owner, email: string): Promise<AppSecret> {
  const secret = newSecret()
  const { name: issuer } = (await brandOf(world)).page
  const { path, size } = qrCodePath(appAddress(secret, { issuer, email }))
  return { secret, qr_path: path, qr_size: size, sealed: world.keys.seal(sealedFor[owner], secret) }
}

/** The time step of an app's first code, which proves that the app has the secret. Otherwise a refusal. */
export function requireFirstCode(
  world: World,
  owner: Owner,
  { sealed, code }: { sealed: string; code: string },
): number {
  const step = findAppStep(world, owner, { sealed, step: 0 }, code)
  if (!step) throw refuseField('code', 'This code is not correct. Enter the newest one that your app shows.')
  return step
}

/** The time step of a code that was not used yet. `step` is the newest one that was used. */
export function findAppStep(world: World, owner: Owner, app: { sealed: string; step: number }, code: string) {
  const secret = world.keys.unseal(sealedFor[owner], app.sealed)
  return secret ? findStep(secret, code, realTime(world), Number(app.step)) : undefined
}
