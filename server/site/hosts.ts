import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#server/config/config.ts'
import { isLoopbackHost } from '#server/config/rules.ts'

type Hosts = Pick<Config, 'PUBLIC_URL' | 'SITE_HOSTS'>

/** A load balancer and monitoring ask by address. */
const forAnyHost = new Set(['/livez', '/readyz', '/metrics'])

/** HTTP/1.1 requires exactly one. Only a health check over HTTP/1.0 may omit it. */
export function hasOneHost({ raw, routeOptions }: FastifyRequest): boolean {
  const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0' && forAnyHost.has(routeOptions.url ?? ''))
}

/**
 * Whether a Host header names this site. Another name that leads to this machine (DNS rebinding) would let a page of that
 * name read ours. Ports are not compared: such a page can choose its name, but not the name of this machine.
 */
export function hostCheck({ PUBLIC_URL, SITE_HOSTS }: Hosts): (host: string) => boolean {
  const names = new Set([PUBLIC_URL, ...SITE_HOSTS.map((host) => `http://${host}`)].map((url) => new URL(url).hostname))
  return (host) => {
    const name = host.toLowerCase().replace(/:\d+$/, '')
    return names.has(name) || isLoopbackHost(name)
  }
}

/** Answers requests for another host, and hides the pages about the embedded parts from other machines. */
export function checkHost(config: Hosts): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const isOurs = hostCheck(config)
  return (request, reply) => {
    const { url = '' } = request.routeOptions
    const { host } = request.headers
    if (host !== undefined && !forAnyHost.has(url) && !isOurs(host)) {
      reply
        .code(421)
        .type('application/json')
        .send(JSON.stringify({ message: WRONG_HOST }))
      return false
    }
    if (!url.startsWith('/__') || isFromThisMachine(request)) return true
    reply.callNotFound()
    return false
  }
}

const WRONG_HOST = 'This site is not served under this host name.'

/** What a tunnel or proxy on this machine adds to the requests of others. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** The sender itself, not somebody behind it. */
const isFromThisMachine = ({ socket, ip, headers }: FastifyRequest): boolean =>
  !forwarding.some((name) => name in headers) &&
  [socket.remoteAddress ?? '', ip].every((address) => isLoopbackHost(address.replace(/^::ffff:/, '')))
