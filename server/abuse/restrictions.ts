import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Client } from '#server/client.ts'
import { Refusal } from '#server/refusal.ts'
import { sharedValue } from '#server/world/shared-value.ts'
import type { World } from '#server/world/world.ts'
import { refusals } from './limits.ts'

/** What staff have closed by hand: joining as a whole, or single networks. Every process has it in memory. */

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]
type Restrictions = {
  pause: { message: string; ends_at: Date | null } | undefined
  blocks: { network: Network; expires_at: Date }[]
}

/** More would slow down every call of the form. */
export const MAX_BLOCKS = 500

const restrictions = sharedValue(async (world): Promise<Restrictions> => {
  const { db, now } = world
  await writeRefusals(world)
  const [pause, blocks] = await Promise.all([
    db.selectFrom('joining_pause').select(['message', 'ends_at']).executeTakeFirst(),
    db
      .selectFrom('network_block')
      .select(['network', 'expires_at'])
      .where('expires_at', '>', now())
      .limit(MAX_BLOCKS)
      .execute(),
  ])
  return {
    pause,
    blocks: blocks.map(({ network, expires_at }) => ({ network: ipaddr.parseCIDR(network), expires_at })),
  }
})

/** After staff have changed something. */
export const forgetRestrictions = restrictions.forget

export const JOINING_CLOSED = 'Joining is closed for now.'

/** What visitors read after that while joining is paused. */
export async function pauseMessage(world: World): Promise<string | undefined> {
  const { pause } = await restrictions.get(world)
  return pause && (!pause.ends_at || pause.ends_at > world.now()) ? pause.message : undefined
}

const BLOCKED =
  'You can’t join or pay from your network at the moment. If you think this is a mistake, please contact us.'

/** For every call of the form, and every call that reaches a bank. Pages stay readable. */
export async function refuseBlocked(world: World, { address }: Pick<Client, 'address'>): Promise<void> {
  const { blocks } = await restrictions.get(world)
  if (!blocks.length) return
  const ip = parseAddress(address[0])
  const now = world.now()
  if (ip && blocks.some(({ network, expires_at }) => expires_at > now && contains(network, ip)))
    throw new Refusal(403, BLOCKED)
}

/** For what begins something new. A payment that was sent before ends as always. */
export async function refuseNewcomers(world: World, visitor: Pick<Client, 'address'>): Promise<void> {
  await refuseBlocked(world, visitor)
  const message = await pauseMessage(world)
  if (message) throw new Refusal(403, `${JOINING_CLOSED} ${message}`)
}

/** Of an IPv6 address, limits know only the /64. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address)
  const text = `${address}::`
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined
}

const contains = ([range, bits]: Network, ip: ipaddr.IPv4 | ipaddr.IPv6) =>
  range.kind() === ip.kind() && ip.match(range, bits)

const WIDEST = { ipv4: 8, ipv6: 19 } as const

/**
 * '203.0.113.9' → '203.0.113.9/32', '2001:db8::1' → '2001:db8::/64': a household owns a whole /64. Returns a sentence if
 * it is not a network that can be blocked.
 */
export function parseNetwork(text: string): { network: string } | { problem: string } {
  const [address = '', bitText, ...more] = text.trim().split('/')
  const isFourParts = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (more.length || (!isFourParts && !ipaddr.IPv6.isValid(address)) || address.includes('%'))
    return { problem: 'Please enter an address such as 203.0.113.9, or a network such as 203.0.113.0/24.' }
  const ip = ipaddr.process(address) // an IPv4 address inside an IPv6 one is an IPv4 address
  const kind = ip.kind()
  const most = kind === 'ipv4' ? 32 : 64
  const isMapped = kind === 'ipv4' && !isFourParts
  const bits = bitText === undefined ? most : Number(bitText) - (isMapped ? 96 : 0)
  if (!/^\d{1,3}$/.test(bitText ?? '0') || bits < 0 || bits > (kind === 'ipv4' ? 32 : 128))
    return { problem: `The number after the slash is at most ${kind === 'ipv4' ? 32 : 128}.` }
  if (bits < WIDEST[kind]) return { problem: `This is too large a part of the internet. At most /${WIDEST[kind]}.` }
  const kept = Math.min(bits, most)
  const range = (kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${ip.toString()}/${kept}`)
  return { network: `${range.toString()}/${kept}` }
}

const HOUR_MS = 3_600_000
const KEPT_DAYS = 8

/** How many refusals of each limit this process has written so far. */
const written = new Map<string, number>()

/** Adds what this process has refused since the last time to the counts of all processes. */
async function writeRefusals({ db, now }: World): Promise<void> {
  const counts = [...refusals].map(([name, count]) => ({ name, count, added: count - (written.get(name) ?? 0) }))
  const changed = counts.filter(({ added }) => added > 0).sort((a, b) => (a.name < b.name ? -1 : 1)) // one order of locks
  if (!changed.length) return
  for (const { name, count } of changed) written.set(name, count)
  const hour = new Date(Math.floor(now().getTime() / HOUR_MS) * HOUR_MS)
  const expires_at = new Date(hour.getTime() + KEPT_DAYS * 24 * HOUR_MS)
  await db
    .insertInto('limit_refusal')
    .values(changed.map(({ name, added }) => ({ name, hour, count: added, expires_at })))
    .onConflict((conflict) =>
      conflict.columns(['name', 'hour']).doUpdateSet({ count: sql`limit_refusal.count + excluded.count` }),
    )
    .execute()
}
