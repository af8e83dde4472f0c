import { runJobs } from '#server/worker/jobs.ts'
import { isPostgres } from './database.ts'
import { filledForm, type Site } from './site.ts'

/** The cookies that a response sets, as a Cookie header. */
export const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ')

/** Enrolls a new member. */
export async function joinedMember(site: Site, changes: Record<string, string> = {}) {
  const form = await filledForm(site, changes)
  const reply = await site.post('enrollment/add-enrollment', form)
  if (reply.json().payment !== 'Approved') throw new Error(`The enrollment failed: ${reply.body}`)
  const { username = '', password = '', email = '', mobile_phone = '' } = form
  return { form, username, password, email, mobile_phone, token: String(reply.json().token) }
}

/** Enrolls a new member and signs them in to the office. */
export async function memberInOffice(site: Site, changes: Record<string, string> = {}) {
  const member = await joinedMember(site, changes)
  const cookie = cookieOf(await site.post('office/session', { token: member.token }))
  return { ...member, cookie }
}

/** As if they had opened the link in the welcome email. */
export async function confirmed<Member extends { username: string }>({ db, world }: Site, member: Member) {
  const change = { email_confirmed_at: world.now() }
  await db.updateTable('member').set(change).where('username', '=', member.username).execute()
  return member
}

type Message = { subject: string; body: string }

/** Runs all waiting jobs, and returns the emails to an address, newest first. */
export async function emailsTo(site: Site, email: string, subject?: string): Promise<Message[]> {
  while (await runJobs(site.world));
  const messages: Message[] = (await site.get(`/__outbox.json?to=${encodeURIComponent(email)}`)).json()
  return messages.filter((message) => !subject || message.subject === subject)
}

/** The token in the URL fragment of an email's link. */
export const linkTokenIn = (email: Pick<Message, 'body'> | undefined) =>
  /\/office\/[a-z-]+#([\w-]{43})/.exec(email?.body ?? '')?.[1] ?? ''

/** How many requests are sent at once. PGlite has one connection, so more of them would show nothing new. */
export const CROWD = isPostgres ? 1000 : 100

/** Sends many requests at once, each from its own IP address, and counts the responses by status. */
export async function byManyVisitors(send: (headers: Record<string, string>) => Promise<{ statusCode: number }>) {
  const addresses = Array.from({ length: CROWD }, (_, n) => `10.1.${n >> 8}.${n & 255}`)
  const replies = await Promise.all(addresses.map((address) => send({ 'x-forwarded-for': address })))
  const counts: Record<number, number> = {}
  for (const { statusCode } of replies) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}
