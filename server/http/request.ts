import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#server/client.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { limitKeys } from './address.ts'
import { clearedAtSignOut } from './headers.ts'

const DAYS = 86_400

export const cookieOptions = { httpOnly: true, path: '/' } as const

export const header = (request: FastifyRequest, name: string) => [request.headers[name]].flat()[0] ?? ''

export const clientFrom = (request: FastifyRequest): Client => ({
  address: limitKeys(request.ip),
  host: header(request, 'host'),
  agent: header(request, 'user-agent'),
  pageUrl: header(request, 'referer'),
  prefetch: isPrefetch(request),
  isFromOtherSite: isFromOtherSite(request),
})

/** Whether a page of another site sent this. Old browsers send only `Origin`, and only with a POST. */
function isFromOtherSite(request: FastifyRequest): boolean {
  const site = header(request, 'sec-fetch-site')
  if (site) return !['same-origin', 'none'].includes(site)
  const origin = header(request, 'origin')
  return origin !== '' && !(URL.canParse(origin) && new URL(origin).host === header(request, 'host'))
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
export const isSafe = ({ method }: Pick<FastifyRequest, 'method'>) => safeMethods.has(method)

/** A change comes from a page of our own, or from a program without a browser. */
export function refuseOtherSites(request: FastifyRequest): void {
  if (!isSafe(request) && isFromOtherSite(request)) throw new Refusal(403, 'Requests from other sites are not allowed.')
}

/** The name is signed too, so that a signed value cannot be moved to another cookie. */
export function setSignedCookie(reply: FastifyReply, name: string, parts: (string | number)[], days: number) {
  const signed = reply.signCookie([name, ...parts].join('.'))
  reply.setCookie(name, signed.slice(name.length + 1), { ...cookieOptions, sameSite: 'lax', maxAge: days * DAYS })
}

/** The parts of the value, or none if the signature is wrong. */
export function readSignedCookie(request: FastifyRequest, name: string): string[] {
  const { valid, value } = request.unsignCookie(`${name}.${request.cookies[name] ?? ''}`)
  return valid && value ? value.split('.').slice(1) : []
}

/** At sign-out, the browser forgets what it has stored of our pages. */
export const clearSiteData = (reply: FastifyReply, { config }: World) => {
  if (config.PUBLIC_URL.startsWith('https:')) reply.header('clear-site-data', clearedAtSignOut)
}

/** Whether one of our own pages led here, not an email or another site. Old browsers do not send the header and are trusted. */
export const isSameOrigin = (request: FastifyRequest): boolean =>
  ['', 'same-origin'].includes(header(request, 'sec-fetch-site'))

/** Whether the visitor opened the page in a window, not another page in a frame or as an image. */
export const isTopLevelPage = (request: FastifyRequest): boolean =>
  ['', 'document'].includes(header(request, 'sec-fetch-dest'))

/** Whether the browser fetches ahead: the visitor may never see the page. */
export const isPrefetch = (request: FastifyRequest): boolean =>
  /prefetch|prerender/.test(`${header(request, 'sec-purpose')} ${header(request, 'purpose')}`)
