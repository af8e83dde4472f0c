import ipaddr from 'ipaddr.js'
import type { Address } from '#server/client.ts'

/**
 * What limits count a visitor by: the IPv4 address, or the /64 of an IPv6 address, because a household owns a whole /64.
 * The /48 follows as a second, wider key, because some customers own all 65,536 networks in one.
 */
export function limitKeys(address: string): Address {
  const [bare = ''] = withoutPort(address).split('%') // without the zone of a link-local address
  if (!ipaddr.IPv6.isValid(bare)) return [bare]
  const ip = ipaddr.IPv6.parse(bare)
  if (ip.isIPv4MappedAddress()) return [ip.toIPv4Address().toString()]
  return [networkPrefix(ip, 64), networkPrefix(ip, 48)]
}

const networkPrefix = (ip: ipaddr.IPv6, bits: number): string =>
  ip.parts
    .slice(0, bits / 16)
    .map((group) => group.toString(16))
    .join(':')

/** Some proxies write '203.0.113.9:4711' or '[2001:db8::1]:4711'. A new connection is not a new visitor. */
const withoutPort = (address: string) =>
  address.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
