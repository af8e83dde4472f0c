import { isIPv6 } from 'node:net'
import type { Address } from '#server/enrollment/visitor.ts'

/** What limits count by: one visitor, and for IPv6 the /48 around them. Some have all of one, and could be 65,536 visitors. */
export const limitKeys = (address: string): Address => {
  const visitor = visitorAddress(address)
  const [one, two, three, four] = visitor.split(':')
  return four ? [visitor, `${one}:${two}:${three}`] : [visitor]
}

/** One visitor: an IPv4 address, or the /64 of an IPv6 one, since a household has all of that. */
export const visitorAddress = (address: string): string => {
  const [bare = ''] = withoutPort(address).split('%') // without the name of an interface
  if (!isIPv6(bare)) return bare
  const parts = eightParts(new URL(`http://[${bare}]`).hostname.slice(1, -1))
  const isMapped = parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff
  if (isMapped)
    return parts
      .slice(6)
      .flatMap((part) => [part >> 8, part & 255])
      .join('.')
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}

/** Some proxies write '203.0.113.9:4711' or '[2001:db8::1]:4711'. A new connection is no new visitor. */
const withoutPort = (address: string) =>
  address.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')

/** The numbers of an IPv6 address as URL writes it, '::' filled up. */
const eightParts = (address: string): number[] => {
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].map((part) => Number.parseInt(part, 16))
}
