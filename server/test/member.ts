import { filledForm, type Site } from './site.ts'

/** The cookie that an answer gives. */
export const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie']].flat().map(String).at(-1)?.split(';')[0] ?? ''

/** Somebody who has joined, and what they answered. */
export async function joinedMember(site: Site, changes: Record<string, string> = {}) {
  const form = await filledForm(site, changes)
  const reply = await site.post('enrollment/add-enrollment', form)
  if (reply.json().payment !== 'Approved') throw new Error(`Nobody joined: ${reply.body}`)
  const { username = '', password = '', email = '', mobile_phone = '' } = form
  return { form, username, password, email, mobile_phone, token: String(reply.json().token) }
}

/** Somebody who has joined and sits in the office, with the cookie of their browser. */
export async function memberInOffice(site: Site, changes: Record<string, string> = {}) {
  const member = await joinedMember(site, changes)
  const cookie = cookieOf(await site.post('office/session', { token: member.token }))
  return { ...member, cookie }
}
