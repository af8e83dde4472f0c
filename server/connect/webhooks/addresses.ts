import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * A person enters the address we send to, and anyone may run the name server that resolves it. So an address is checked when
 * it's saved, when its name is resolved, and when we connect.
 */

/** Reserved, or a way to write an IPv4 address inside an IPv6 one: a translator would lead it back into our network. */
const refusedRanges = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, where clouds keep their metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '::/96', // unspecified, loopback, and IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // NAT64 of a local network
  '100::/64', // discarded
  '2001::/23', // Teredo, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
].map((range) => ipaddr.parseCIDR(range))

const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an address belongs to a machine on the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '')
  if (!isIP(plain) || plain.includes('%')) return false // a zone names a network of this machine
  const ip = ipaddr.parse(plain)
  if (ip.kind() === 'ipv6' && !ip.match(PUBLIC_IPV6)) return false
  return !refusedRanges.some((range) => range[0].kind() === ip.kind() && ip.match(range))
}

const isLoopbackAddress = (address: string) => ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'

/** `loopback`: also http on this machine, to try it out. Never in production. */
export type Reach = { loopback: boolean }

export const mayReach = (address: string, { loopback }: Reach): boolean =>
  isPublicAddress(address) || (loopback && isLoopbackAddress(address))

export class ForbiddenAddress extends Error {}

const NOT_PUBLIC = 'This address isn’t on the public internet. Webhooks can’t go to private networks.'
const MAX_URL_LENGTH = 500
/** Names that only a private network resolves. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa|localdomain)$/

/** Checks an address as it's entered. Throws a sentence that says what is wrong. */
export function parseEndpointUrl(text: string, reach: Reach): URL {
  const url = URL.parse(text.trim())
  if (!url || url.href.length > MAX_URL_LENGTH)
    throw new ForbiddenAddress('Please enter an address such as https://example.com/webhooks.')
  const host = hostOf(url)
  const isHere = reach.loopback && isLoopbackAddress(host)
  if (url.protocol !== 'https:' && !(isHere && url.protocol === 'http:'))
    throw new ForbiddenAddress('The address must start with https://.')
  if (url.username || url.password)
    throw new ForbiddenAddress(
      'Please leave the username and password out of the address. Check our signature instead.',
    )
  if (url.hash) throw new ForbiddenAddress('Please leave out the part after #. It’s never sent.')
  const isName = !isIP(host)
  if (isName && (!host.includes('.') || PRIVATE_NAME.test(host))) throw new ForbiddenAddress(NOT_PUBLIC)
  if (!isName && !mayReach(host, reach)) throw new ForbiddenAddress(NOT_PUBLIC)
  return url
}

/** Without the brackets of IPv6, and without the dot that ends a full name. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Looks a name up. Tests pass in one that changes its answer. */
export type Resolve = (host: string) => Promise<string[]>

/**
 * Everyone who asks for a name during its lookup gets that answer. Node has few threads for lookups, and a slow name server
 * would occupy all of them: no gateway or other receiver could be looked up meanwhile.
 */
export function sharingLookups(resolve: Resolve): Resolve {
  const underway = new Map<string, Promise<string[]>>()
  return (host) => {
    const found = underway.get(host) ?? resolve(host).finally(() => underway.delete(host))
    underway.set(host, found)
    return found
  }
}

export const resolveByDns = sharingLookups(async (host) => {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
})

/**
 * The address to connect to. The name isn't looked up again after this: the answer could be a different one. If any of its
 * addresses is forbidden, all are.
 */
export async function resolveEndpoint(url: URL, reach: Reach, resolve: Resolve): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolve(host)
  const [first] = addresses
  if (!first) throw new Error('The name has no address.')
  if (!addresses.every((address) => mayReach(address, reach)))
    throw new ForbiddenAddress(`The name resolves to an address that isn’t on the public internet.`)
  return first
}
