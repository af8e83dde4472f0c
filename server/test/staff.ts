import { expect } from 'vitest'
import type { Role } from '#contract/console/permissions.ts'
import { createInvitation } from '#server/console/access/invitations.ts'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { cookieOf } from './member.ts'
import type { Site } from './site.ts'

export const STAFF_PASSWORD = 'Tall-Ladder-77'

/** The token in the link of an invitation. */
export const tokenIn = (link: string | undefined) => link?.split('#')[1] ?? ''

let count = 0

/** A colleague with a password and an authenticator app, who is signed in. */
export async function staffMember(site: Site, role: Role) {
  const email = `${role}${++count}@staff.example`
  const link = await createInvitation(site.world, { email, role, actor: { id: null, role: 'command line' } })
  const token = tokenIn(link)
  const { secret, sealed } = (await site.post('console/invitation/app', { token, email })).json()
  const code = () => codeOf(secret, stepAt(site.world.now()))
  const name = `${role} ${count}`
  const reply = await site.post('console/invitation/password', {
    token,
    name,
    email,
    password: STAFF_PASSWORD,
    sealed,
    code: code(),
  })
  expect(reply.statusCode, reply.body).toBe(200)
  const { session, recovery_codes } = reply.json()
  const cookie = cookieOf(reply)
  return {
    id: String(session.staff.id),
    email,
    name,
    role,
    cookie,
    code,
    secret,
    recovery_codes: recovery_codes as string[],
    post: (path: string, body: object = {}) => site.post(`console/${path}`, body, { cookie }),
    get: (path: string) => site.get(`/api/console/${path}`, { cookie }),
  }
}
export type TestStaff = Awaited<ReturnType<typeof staffMember>>
