import { randomBytes } from 'node:crypto'
import { PROOF_NEEDED, type Role } from '#contract/console/permissions.ts'
import { createInvitation } from '#server/console/access/invitations.ts'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import type { DemoSite } from './site.ts'

export type Colleague = Awaited<ReturnType<typeof hire>>

/** A colleague who accepts an invitation, and then works in the console. Nobody knows the password. */
export async function hire(site: DemoSite, name: string, role: Role) {
  const { world } = site
  const email = `${name.split(' ')[0]?.toLowerCase()}@staff.example`
  const link = await createInvitation(world, { email, role, actor: { id: null, role: 'command line' } })
  const token = link.split('#')[1]
  const password = `Aa1-${randomBytes(18).toString('base64url')}`
  const { secret, sealed } = (await site.call('/console/invitation/app', { body: { token, email } })).json
  const code = () => codeOf(secret, stepAt(world.now()))
  const body = { token, name, email, password, sealed, code: code() }
  const { cookie } = await site.call('/console/invitation/password', { body })
  return {
    /** One act in the console, with the proof that some need. */
    async act(path: string, input: object) {
      const sending = { cookie, body: input }
      const { status, body } = await site.post(path, sending)
      if (status !== 200 && status !== PROOF_NEEDED) throw new Error(`${path}: ${status} ${body}`)
      if (status === 200) return
      await site.call('/console/proof/password', { cookie, body: { password, code: code() } })
      await site.call(path, sending)
    },
  }
}
