import { MASTER } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import { refuseField } from '#server/refusal.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import { followRenames, resolveSite, type SponsorRow } from './sponsors.ts'
import { findTouches, firstTamperedRow, mergeTouches, type Touch, type TouchRow } from './touches.ts'

const MAX_TOUCHES = 12

/**
 * Adds a link that the visitor opened, unless it is there already. When there are too many, an old one is dropped, but
 * never the first sponsor's link.
 */
export function addOpenedLink(touches: readonly Touch[], site: string, touched_at: Date): Touch[] {
  if (touches.some((touch) => touch.site === site)) return [...touches]
  const first = touches.findIndex((touch) => touch.site !== MASTER)
  const remaining = touches.length < MAX_TOUCHES ? touches : touches.filter((_, index) => index !== first + 1)
  return [...remaining, { site, why: 'opened', touched_at }]
}

/** The active sponsor whose link was opened first, unless it is the one of this page. The main site is nobody's link. */
export async function findEarlierSponsor(world: World, touches: readonly Touch[], current: SponsorRow) {
  for (const { site } of touches) {
    if (site === MASTER) continue
    if (site === current.site) return undefined
    const sponsor = await resolveSite(world, site)
    if (sponsor?.active) return sponsor.id === current.id ? undefined : sponsor
  }
  return undefined
}

/**
 * The sponsor of an order is the one that it names: the address that the visitor enrolls on. Returns that sponsor and the
 * touches to record, of which the last tells this address.
 */
export async function creditForOrder(
  world: World,
  enrollment_id: string,
  sponsor_site_name: string,
  visitor: Visitor,
): Promise<{ sponsor: SponsorRow; touches: Touch[] }> {
  const cookieTouches = visitor.enrollment_id === enrollment_id ? visitor.touches : []
  const [recorded, sponsor] = await Promise.all([
    findTouches(world.db, enrollment_id),
    resolveSite(world, sponsor_site_name),
  ])
  if (!sponsor?.active)
    throw refuseField('sponsor_site_name', 'This sponsor’s website is not active. Please reload this page.')
  const touches = mergeTouches(recorded, cookieTouches)
  if (touches.findLast(isOrdered)?.site === sponsor.site) return { sponsor, touches }
  return { sponsor, touches: [...touches, { site: sponsor.site, why: 'ordered', touched_at: world.now() }] }
}

const isOrdered = ({ why }: Touch) => why === 'ordered' || why === 'imported'

/** `sponsor_site`: of the sponsor on the day of joining. */
type SealedMember = { sponsor_site: string; touches: number | null; touch_seal: string | null }

/**
 * What is wrong with the record that led to a member, if anything. A record without an address is older than version 0.3,
 * when the visitor's choice decided, or else the first link of a sponsor who was active then.
 */
export async function recordProblem(
  db: Db,
  member: SealedMember,
  rows: readonly TouchRow[],
): Promise<string | undefined> {
  const tampered = firstTamperedRow(rows)
  if (tampered) return `Row ${tampered} was changed.`
  const isComplete = rows.length === member.touches && (rows.at(-1)?.hash ?? null) === member.touch_seal
  if (!isComplete) return 'Rows were added or removed after the member joined.'
  const decisive = rows.findLast(isOrdered) ?? rows.findLast(({ why }) => why === 'chosen')
  const recordedSites = (decisive ? [decisive] : rows).map(({ site }) => site)
  const sponsor = await followRenames(db, member.sponsor_site)
  for (const site of recordedSites) if ((await followRenames(db, site))?.id === sponsor?.id) return undefined
  return `The record says ${recordedSites.map((site) => `/${site}`).join(' or ') || 'nothing'}: the sponsor was changed after the member joined.`
}
