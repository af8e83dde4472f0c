import ipaddr from 'ipaddr.js'

/**
 * How much of the public internet a list of networks covers. A proxy that is trusted can name any address as its visitor's, so a
 * list that covers much of the internet, in however many parts, would let visitors choose their own address.
 */

type Family = { bits: number; private: string[]; mostBits: number }

/** The networks of all large content delivery networks together are smaller than this. */
const families: Record<'ipv4' | 'ipv6', Family> = {
  ipv4: {
    bits: 32,
    private: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
    mostBits: 24,
  },
  ipv6: { bits: 128, private: ['::1/128', 'fc00::/7', 'fe80::/10'], mostBits: 112 },
}

type Range = { family: 'ipv4' | 'ipv6'; from: bigint; to: bigint }

/** True from an IPv4 /8 or an IPv6 /16 on, all networks together. Names such as 'loopback' are private. */
export function coversInternet(networks: readonly string[]): boolean {
  const ranges = networks.flatMap((network) => (/[.:]/.test(network) ? [rangeOf(network)] : [])).filter(isPublic)
  return (['ipv4', 'ipv6'] as const).some((family) => {
    const size = sizeOf(ranges.filter((range) => range.family === family))
    return size >= 1n << BigInt(families[family].mostBits)
  })
}

function rangeOf(network: string): Range {
  const [address = '', prefix] = network.split('/')
  const ip = ipaddr.parse(address)
  const isMapped = ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() // such a network is of IPv4 addresses
  const plain = isMapped ? ip.toIPv4Address() : ip
  const { bits } = families[plain.kind()]
  const fixed = prefix === undefined ? bits : Math.max(0, Number(prefix) - (isMapped ? 96 : 0))
  const size = 1n << BigInt(bits - fixed)
  const number = BigInt(`0x${Buffer.from(plain.toByteArray()).toString('hex')}`)
  const from = number - (number % size)
  return { family: plain.kind(), from, to: from + size }
}

const isPublic = ({ family, from, to }: Range): boolean =>
  !families[family].private.map(rangeOf).some((range) => range.from <= from && to <= range.to)

/** Overlaps count once. */
function sizeOf(ranges: Range[]): bigint {
  let size = 0n
  let end = 0n
  for (const { from, to } of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (to <= end) continue
    size += to - (from > end ? from : end)
    end = to
  }
  return size
}
