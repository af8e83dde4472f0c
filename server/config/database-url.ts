import * as z from 'zod/mini'
import { isLoopbackHost } from './rules.ts'

const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * DATABASE_URL, once for each host it names: `postgres://foyer@db1,db2:5433/foyer` names two, as libpq writes them.
 * The driver understands only one.
 */
export function databaseUrls(databaseUrl: string): string[] {
  const [, start, hosts, end] = FORM.exec(databaseUrl) ?? []
  return hosts?.includes(',') ? hosts.split(',').map((host) => `${start}${host}${end}`) : [databaseUrl]
}

/** Kept as it is: what follows a question mark, such as sslmode, is for the driver. */
export const databaseUrl = z
  .string()
  .check(z.refine((text) => !problemOf(text), { error: ({ input }) => problemOf(String(input)) }))

/** It shows no part of the URL, because a password may have ended up anywhere. */
function problemOf(databaseUrl: string): string | undefined {
  const urls = databaseUrls(databaseUrl)
  const hosts = urls.map((url) => FORM.exec(url)?.[2] ?? '')
  const invalid = urls.findIndex((url) => !isUrl(url.split('?', 1)[0] ?? ''))
  if (urls.length === 1) return invalid < 0 ? undefined : 'must be a URL that starts with postgres:// or postgresql://'
  if (hosts.includes('')) return 'has a comma without a host beside it'
  if (invalid >= 0) return `has a host that cannot be read, number ${invalid + 1}: write host1:port1,host2:port2`
  if (/[?&]host=/.test(databaseUrl)) return 'names its hosts twice: before the path and in ?host='
  return new Set(hosts).size < hosts.length ? 'names a host twice' : undefined
}

function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hostname, protocol, hash } = new URL(text)
  return Boolean(hostname) && /^postgres(ql)?:$/.test(protocol) && !hash
}

/** Without user and password: 'db1:5432,db2:5432/foyer'. */
export function withoutPassword(databaseUrl: string): string {
  const urls = databaseUrls(databaseUrl).map((url) => new URL(url))
  return `${urls.map(({ host }) => host).join()}${urls[0]?.pathname}`
}

/** As the driver reads it: `?host=` overrides the host, the last of several counts, and a path is a Unix socket. */
export const isOnThisMachine = (databaseUrl: string): boolean =>
  databaseUrls(databaseUrl).every((url) => {
    const { hostname, searchParams } = new URL(url)
    const host = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname)
    return host.startsWith('/') || isLoopbackHost(host)
  })

/**
 * Only verify-full is accepted. Without sslmode the driver uses no TLS. It takes require and verify-ca for verify-full, and
 * has announced to weaken both; no-verify encrypts, but to anyone who answers.
 */
export const verifiesDatabase = (databaseUrl: string): boolean =>
  new URL(databaseUrls(databaseUrl)[0] ?? '').searchParams.getAll('sslmode').at(-1) === 'verify-full'
