import { findTouches } from '#server/sponsors/touches.ts'
import type { Site } from './site.ts'

/** A browser: it keeps its cookies and follows where it is led. */
export function testBrowser(site: Site, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (reply: { headers: Record<string, unknown> }) => {
    for (const line of [reply.headers['set-cookie'] ?? []].flat().map(String)) {
      const [, name = '', value = ''] = /^(\w+)=([^;]*)/.exec(line) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
  }
  const open = async (address: string): Promise<{ address: string; body: string }> => {
    const reply = await site.get(address, { cookie: cookie(), ...headers })
    keep(reply)
    const led = reply.headers.location
    return led ? open(String(led)) : { address, body: reply.body }
  }
  const post = async (path: string, body: Record<string, unknown>) => {
    const reply = await site.post(path, body, { cookie: cookie() })
    keep(reply)
    return reply
  }
  /** Remembers the cookies of now; later they can be put back, as a slow answer in another tab does. */
  const keepCookies = () => {
    const kept = new Map(cookies)
    return () => {
      for (const [name, value] of kept) cookies.set(name, value)
    }
  }
  return { open, post, keep: keepCookies }
}

/** Whom a member joined with, and the links that say so. */
export async function sponsorOf(site: Site, username: string) {
  const member = await site.db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['sponsor.site', 'enrollment_id'])
    .where('username', '=', username)
    .executeTakeFirst()
  return { site: member?.site, rows: await findTouches(site.db, member?.enrollment_id ?? '') }
}
