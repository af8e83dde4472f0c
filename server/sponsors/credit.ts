import { MASTER } from '#contract/site.ts'
import { refuseField } from '#server/refusal.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { resolveSite, type SponsorRow } from './sponsors.ts'
import { findTouches, mergeTouches, type Touch } from './touches.ts'

/** A sponsor, and why they get the credit. */
export type CreditedSponsor = SponsorRow & Pick<Touch, 'why'>

/**
 * Who gets the credit for a new member: the sponsor that the visitor chose last, or else the one whose link they opened
 * first. The main site gives way to any sponsor; inactive and unknown sponsors do not count.
 */
export function creditedSponsor(
  touches: readonly Touch[],
  sponsors: ReadonlyMap<string, SponsorRow>,
): CreditedSponsor | undefined {
  const candidates = touches.flatMap(({ site, why }) => {
    const sponsor = sponsors.get(site)
    return sponsor?.active ? [{ ...sponsor, why }] : []
  })
  const lastChosen = candidates.findLast(isChosen)
  const firstOpened = candidates.find(({ site }) => site !== MASTER)
  return lastChosen ?? firstOpened ?? candidates[0]
}

export const isChosen = ({ why }: Pick<Touch, 'why'>) => why === 'chosen'

/** The sponsor that these touches credit today. Sponsors in `loaded` are not looked up again. */
export const findCredit = async (
  world: World,
  touches: readonly Touch[],
  loaded: readonly SponsorRow[] = [],
): Promise<CreditedSponsor | undefined> => creditedSponsor(touches, await sponsorsOf(world, touches, loaded))

/** The sponsors of these touches, by site. */
export async function sponsorsOf(world: World, touches: readonly Touch[], loaded: readonly SponsorRow[] = []) {
  const sponsors = new Map<string, SponsorRow>(loaded.map((sponsor) => [sponsor.site, sponsor]))
  for (const { site } of touches) {
    const sponsor = sponsors.get(site) ?? (await resolveSite(world, site))
    if (sponsor) sponsors.set(site, sponsor)
  }
  return sponsors
}

const MAX_TOUCHES = 12

/**
 * Adds a link that the visitor opened, unless it is there already. When there are too many, an old one is dropped, but
 * never the first sponsor's link or a choice.
 */
export function addOpenedLink(touches: readonly Touch[], site: string, touched_at: Date): Touch[] {
  if (touches.some((touch) => touch.site === site)) return [...touches]
  const first = touches.findIndex((touch) => touch.site !== MASTER)
  const droppable = touches.findIndex(({ why }, index) => index > first && why !== 'chosen')
  const remaining = touches.length < MAX_TOUCHES ? touches : touches.filter((_, index) => index !== droppable)
  return [...remaining, { site, why: 'opened', touched_at }]
}

/** The sponsor of an order, and the touches that prove it. The order must name the sponsor that the touches credit. */
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
  const touches = mergeTouches(recorded, cookieTouches)
  if (!sponsor?.active) throw refuseSponsor('This sponsor’s website is not active. Please reload this page.')
  const credited = await findCredit(world, touches, [sponsor])
  if (credited?.id === sponsor.id) return { sponsor, touches }
  if (credited && credited.site !== MASTER) {
    if (cookieTouches.length) visitor.setEnrollmentCookie(enrollment_id, touches) // the reloaded page shows the right sponsor
    throw refuseSponsor(`You are joining with ${credited.name}. Please reload this page before you pay.`)
  }
  const isRecorded = touches.some((touch) => touch.why === 'ordered' && touch.site === sponsor.site)
  const ordered: Touch = { site: sponsor.site, why: 'ordered', touched_at: world.now() }
  return { sponsor, touches: isRecorded ? touches : [...touches, ordered] }
}

const refuseSponsor = (message: string) => refuseField('sponsor_site_name', message)
