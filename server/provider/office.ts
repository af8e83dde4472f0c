import { isLoopback } from '#server/config/rules.ts'
import type { Settings } from '#server/config/settings.ts'

type OfficeSettings = Pick<Settings, 'PROVIDER_OFFICE_HOSTS' | 'NODE_ENV'>

/** Where to send a new member: only https, and only to the operator's office hosts. Otherwise undefined. */
export function officeUrlIn({ PROVIDER_OFFICE_HOSTS, NODE_ENV }: OfficeSettings, vo_url: string): string | undefined {
  if (!URL.canParse(vo_url)) return undefined
  const { protocol, host, username, password, search, hash, href } = new URL(vo_url)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && NODE_ENV !== 'production' && isLoopback(href))
  if (!isSafe || username || password || search || hash || !PROVIDER_OFFICE_HOSTS.includes(host)) return undefined
  return href.replace(/\/+$/, '')
}
