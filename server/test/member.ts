import { runJobs } from '#server/jobs/jobs.ts'
import { isPostgres } from './database.ts'
import { filledForm, type Site } from './site.ts'

/** The cookies that an answer gives, as a browser sends them back. */
export const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ')

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

type Letter = { subject: string; body: string }

/** Does what is left to do, and reads somebody's letters, newest first. */
export async function emailsTo(site: Site, email: string, subject?: string): Promise<Letter[]> {
  while (await runJobs(site.world));
  const letters: Letter[] = (await site.get(`/__outbox.json?to=${encodeURIComponent(email)}`)).json()
  return letters.filter((letter) => !subject || letter.subject === subject)
}

/** The word in the address of a letter: behind the '#', where no server sees it. */
export const linkTokenIn = (letter: Letter | undefined) =>
  /\/office\/[a-z-]+#([\w-]{43})/.exec(letter?.body ?? '')?.[1] ?? ''

/** How many come at once. The embedded database has one connection: more than a few in line show nothing new. */
export const CROWD = isPostgres ? 1000 : 100

/** A crowd of requests at once, each from an address of its own, and how often each status came. */
export async function byManyVisitors(ask: (headers: Record<string, string>) => Promise<{ statusCode: number }>) {
  const addresses = Array.from({ length: CROWD }, (_, n) => `10.1.${n >> 8}.${n & 255}`)
  const replies = await Promise.all(addresses.map((address) => ask({ 'x-forwarded-for': address })))
  const counts: Record<number, number> = {}
  for (const { statusCode } of replies) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}
