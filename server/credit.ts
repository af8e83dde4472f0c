import { MASTER } from '#contract/limits.ts'
import { inTransaction } from './db/open.ts'
import { beginEnrollment } from './payment.ts'
import { Refusal, refuseFields } from './refusal.ts'
import { follow, type Sponsored } from './sponsors.ts'
import { keepTouches, type Touch } from './touches.ts'
import type { World } from './world.ts'

/**
 * Who gets the credit: whom the visitor chose by name last, or else whose link they opened first. The main site is
 * nobody's link, and who is inactive or unknown cannot enroll anyone: both give way.
 */
export function winner(touches: readonly Touch[], sponsors: ReadonlyMap<string, Sponsored>): Sponsored | undefined {
  const standing = touches.flatMap(({ site, why }) => {
    const sponsor = sponsors.get(site)
    return sponsor?.active ? [{ why, sponsor }] : []
  })
  const chosen = standing.findLast(({ why }) => why === 'chosen')
  const first = standing.find(({ sponsor }) => sponsor.site !== MASTER)
  return (chosen ?? first ?? standing[0])?.sponsor
}

/** The winner of these touches, and the sponsor whose link was opened last, if that is somebody else. */
export async function creditOf(world: World, touches: readonly Touch[]) {
  const sponsors = await sponsorsOf(world, touches)
  const credited = winner(touches, sponsors)
  const last = touches.at(-1)
  const opened = last?.why === 'opened' ? sponsors.get(last.site) : undefined
  const other = opened?.active && opened.site !== MASTER && opened.id !== credited?.id ? opened : undefined
  return { credited, other }
}

async function sponsorsOf(world: World, touches: readonly Touch[]): Promise<Map<string, Sponsored>> {
  const found = new Map<string, Sponsored>()
  for (const site of new Set(touches.map(({ site }) => site))) {
    const sponsor = await follow(world, site)
    if (sponsor) found.set(site, sponsor)
  }
  return found
}

/** Whom an order enrolls under, and the touches that say so. What the visitor saw and what the links say must agree. */
export async function creditFor(world: World, touched: readonly Touch[], sponsor_site_name: string) {
  const named = await follow(world, sponsor_site_name)
  if (!named?.active) throw refuseFields({ sponsor_site_name: 'This sponsor’s website is not active.' })
  const { credited } = await creditOf(world, touched)
  if (credited?.id === named.id) return { sponsor: named, touches: [...touched] }
  if (credited && credited.site !== MASTER) {
    const sentence = `Through the link that you opened you join with ${credited.name}. Please load this page again before you pay.`
    throw new Refusal(422, sentence, { fields: { sponsor_site_name: [sentence] } })
  }
  return { sponsor: named, touches: [...touched, { site: named.site, why: 'ordered' as const, at: world.now() }] }
}

const MOST_OPENED = 12

/** Each link counts the first time that it is opened; a reload or a way back is no news. */
export const withOpened = (touches: readonly Touch[], site: string, at: Date): Touch[] =>
  touches.some((touch) => touch.site === site) || touches.length >= MOST_OPENED
    ? [...touches]
    : [...touches, { site, why: 'opened', at }]

/** The visitor chooses, by name, a sponsor whose link they have opened. */
export async function choose(world: World, enrollment_id: string, touches: readonly Touch[], site: string) {
  const sponsor = touches.some((touch) => touch.site === site) ? await follow(world, site) : undefined
  if (!sponsor?.active) throw refuseFields({ sponsor_site: 'Please open this sponsor’s link first.' })
  const all = [
    ...touches.filter(({ why }) => why !== 'chosen'),
    { site: sponsor.site, why: 'chosen' as const, at: world.now() },
  ]
  await inTransaction(world.db, async (db) => {
    await beginEnrollment(db, enrollment_id, world.now())
    await keepTouches(db, enrollment_id, all)
  })
  return { sponsor, touches: all }
}
