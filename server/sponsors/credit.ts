import { sql } from 'kysely'
import { MASTER } from '#contract/site.ts'
import { inTransaction } from '#server/db/db.ts'
import { lockEnrollment } from '#server/enrollment/reservation.ts'
import { type AttemptKey, ENROLLMENT_COOKIE_DAYS, type Visitor } from '#server/enrollment/visitor.ts'
import { endedWithoutCharge } from '#server/payments/payments.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { resolveSite, type SponsorRow } from './sponsors.ts'
import { findTouches, mergeTouches, rowsToAppend, type Touch } from './touches.ts'

/** A sponsor, and for what: a link that was opened, a choice, an order. */
export type CreditedSponsor = SponsorRow & Pick<Touch, 'why'>

/**
 * Who gets the credit: whom the visitor chose by name last, or else whose link they opened first. The main site is
 * nobody's link, and who is inactive or unknown cannot enroll anyone: both give way.
 */
export function creditedSponsor(
  touches: readonly Touch[],
  sponsors: ReadonlyMap<string, SponsorRow>,
): CreditedSponsor | undefined {
  const standing = touches.flatMap(({ site, why }) => {
    const sponsor = sponsors.get(site)
    return sponsor?.active ? [{ ...sponsor, why }] : []
  })
  const chosen = standing.findLast(isChosen)
  const first = standing.find(({ site }) => site !== MASTER)
  return chosen ?? first ?? standing[0]
}

export const isChosen = ({ why }: Pick<Touch, 'why'>) => why === 'chosen'

/** The winner of these touches today. Who is known already is not looked up again. */
export const findCredit = async (
  world: World,
  touches: readonly Touch[],
  known: readonly SponsorRow[] = [],
): Promise<CreditedSponsor | undefined> => creditedSponsor(touches, await sponsorsOf(world, touches, known))

async function sponsorsOf(world: World, touches: readonly Touch[], known: readonly SponsorRow[] = []) {
  const found = new Map<string, SponsorRow>(known.map((sponsor) => [sponsor.site, sponsor]))
  for (const { site } of touches) {
    const sponsor = found.get(site) ?? (await resolveSite(world, site))
    if (sponsor) found.set(site, sponsor)
  }
  return found
}

const MOST_OPENED = 12

/** Each link counts the first time that it is opened; a reload or a way back is no news. The first sponsor's and the choice stay. */
export function addOpenedLink(touches: readonly Touch[], site: string, touched_at: Date): Touch[] {
  if (touches.some((touch) => touch.site === site)) return [...touches]
  const first = touches.findIndex((touch) => touch.site !== MASTER)
  const spare = touches.findIndex(({ why }, n) => n > first && why !== 'chosen')
  const kept = touches.length < MOST_OPENED ? touches : touches.filter((_, n) => n !== spare)
  return [...kept, { site, why: 'opened', touched_at }]
}

/** Whom an order enrolls under, and the touches that say so. What the visitor saw and what the links say must agree. */
export async function creditForOrder(
  world: World,
  { enrollment_id }: AttemptKey,
  sponsor_site_name: string,
  visitor: Visitor,
) {
  const inCookie = visitor.cookie === enrollment_id ? visitor.touches : []
  const [written, named] = await Promise.all([
    findTouches(world.db, enrollment_id),
    resolveSite(world, sponsor_site_name),
  ])
  const touched = mergeTouches(written, inCookie)
  if (!named?.active) throw refuseSponsor('This sponsor’s website is not active. Please load this page again.')
  const credited = await findCredit(world, touched, [named])
  if (credited?.id === named.id) return { sponsor: named, touches: touched }
  if (credited && credited.site !== MASTER) {
    if (inCookie.length) visitor.setEnrollmentCookie(enrollment_id, touched) // so that the page, loaded again, knows as much
    throw refuseSponsor(
      `Through the link that you opened you join with ${credited.name}. Please load this page again before you pay.`,
    )
  }
  const ordered = { site: named.site, why: 'ordered' as const, touched_at: world.now() }
  return { sponsor: named, touches: isOrdered(touched, named.site) ? touched : [...touched, ordered] }
}

const isOrdered = (touches: readonly Touch[], site: string) =>
  touches.some((touch) => touch.why === 'ordered' && touch.site === site)

const refuseSponsor = (sentence: string) => refuseField('sponsor_site_name', sentence)

const MOST_CHOICES = 20

/**
 * The visitor chooses, by name, a sponsor whose link they have opened, as long as nothing is being paid for. The same one
 * again is no news.
 */
export async function chooseSponsor(
  world: World,
  enrollment_id: string,
  visitor: Visitor,
  site: string,
): Promise<SponsorRow> {
  const opened = await sponsorsOf(world, visitor.touches)
  const sponsor = await resolveSite(world, site)
  if (!sponsor?.active || ![...opened.values()].some(({ id }) => id === sponsor.id))
    throw refuseFields({ sponsor_site: 'Please open this sponsor’s link first.' })
  const now = world.now()
  const opening = visitor.touches.filter((touch) => !isChosen(touch))
  const chosen = await inTransaction(world.db, async (db) => {
    const { attempts, isNew } = await lockEnrollment(db, enrollment_id, now)
    if (!attempts.every(endedWithoutCharge))
      throw new Refusal(409, 'You are joining already. The sponsor cannot be changed any more.')
    const rows = isNew ? [] : await findTouches(db, enrollment_id)
    const last = mergeTouches(rows, []).findLast(isChosen)
    if (last?.site === sponsor.site) return last
    if (rows.filter(isChosen).length >= MOST_CHOICES)
      throw new Refusal(409, 'The sponsor was changed very often and now stays as it is.')
    const chosen: Touch = { site: sponsor.site, why: 'chosen', touched_at: now }
    const added = rowsToAppend(enrollment_id, rows, [...opening, chosen])
    if (added.length) await db.insertInto('sponsor_touch').values(added).execute()
    const expires_at = attempts.length ? null : new Date(now.getTime() + ENROLLMENT_COOKIE_DAYS * 86_400_000)
    await db.updateTable('enrollment').set({ expires_at }).where('id', '=', enrollment_id).execute()
    return chosen
  })
  visitor.setEnrollmentCookie(enrollment_id, [...opening, chosen])
  return sponsor
}

const AT_ONCE = 1000

/**
 * What was chosen and never paid for is forgotten with its links. A browser that is still there has them in its cookie. One
 * payment is looked for at a time: `not exists` would be planned over all of them.
 */
export async function deleteExpiredChoices({ db, now }: World): Promise<void> {
  await sql`
    with over as (
      select id from enrollment where expires_at < ${now()}
        and (select enrollment_id from payment where enrollment_id = enrollment.id limit 1) is null
      order by expires_at limit ${sql.lit(AT_ONCE)} for update skip locked),
    links as (delete from sponsor_touch where enrollment_id in (select id from over))
    delete from enrollment where id in (select id from over)`.execute(db)
}
