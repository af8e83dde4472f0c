import { findTouches } from '#server/sponsors/touches.ts'
import type { Site } from './site.ts'

/** A browser that keeps cookies and follows redirects. */
export function testBrowser(site: Site, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const storeCookies = (reply: { headers: Record<string, unknown> }) => {
    for (const line of [reply.headers['set-cookie'] ?? []].flat().map(String)) {
      const [, name = '', value = ''] = /^(\w+)=([^;]*)/.exec(line) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
  }
  const open = async (address: string): Promise<{ address: string; body: string }> => {
    const reply = await site.get(address, { cookie: cookie(), ...headers })
    storeCookies(reply)
    const { location } = reply.headers
    return location ? open(String(location)) : { address, body: reply.body }
  }
  const post = async (path: string, body: Record<string, unknown>) => {
    const reply = await site.post(path, body, { cookie: cookie() })
    storeCookies(reply)
    return reply
  }
  /** Where an address redirects to. */
  const redirectOf = async (address: string, more: Record<string, string> = {}) =>
    String((await site.get(address, { cookie: cookie(), ...headers, ...more })).headers.location)
  /** Posts a plain HTML form. */
  const submit = async (url: string, more: Record<string, string> = {}) => {
    const reply = await site.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookie(), ...headers, ...more },
      payload: '',
    })
    storeCookies(reply)
    return reply
  }
  return { open, post, submit, redirectOf }
}

/** A member's sponsor, and the sponsor links that they opened. */
export async function sponsorOf(site: Site, username: string) {
  const member = await site.db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['sponsor.site', 'enrollment_id'])
    .where('username', '=', username)
    .executeTakeFirst()
  return { site: member?.site, rows: await findTouches(site.db, member?.enrollment_id ?? '') }
}
