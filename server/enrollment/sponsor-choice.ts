import { sql } from 'kysely'
import { inTransaction } from '#server/db/db.ts'
import { endedWithoutCharge } from '#server/payments/payments.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { isChosen, sponsorsOf } from '#server/sponsors/credit.ts'
import { resolveSite, type SponsorRow } from '#server/sponsors/sponsors.ts'
import { findTouches, mergeTouches, rowsToAppend, type Touch } from '#server/sponsors/touches.ts'
import { ENROLLMENT_COOKIE_DAYS, type Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { lockEnrollment } from './reservation.ts'

const MAX_CHOICES = 20

/**
 * The visitor chooses one of the sponsors whose links they have opened. It is possible until they pay. Choosing the same
 * sponsor again changes nothing.
 */
export async function chooseSponsor(
  world: World,
  enrollment_id: string,
  visitor: Visitor,
  site: string,
): Promise<SponsorRow> {
  const openedSponsors = await sponsorsOf(world, visitor.touches)
  const sponsor = await resolveSite(world, site)
  if (!sponsor?.active || ![...openedSponsors.values()].some(({ id }) => id === sponsor.id))
    throw refuseFields({ sponsor_site: 'Please open this sponsor’s link first.' })
  const now = world.now()
  const openedLinks = visitor.touches.filter((touch) => !isChosen(touch))
  const choice = await inTransaction(world.db, async (db) => {
    const { attempts, isNew } = await lockEnrollment(db, enrollment_id, now)
    if (!attempts.every(endedWithoutCharge))
      throw new Refusal(409, 'Your payment is already being processed. You can no longer change your sponsor.')
    const recorded = isNew ? [] : await findTouches(db, enrollment_id)
    const lastChoice = mergeTouches(recorded, []).findLast(isChosen)
    if (lastChoice?.site === sponsor.site) return lastChoice
    if (recorded.filter(isChosen).length >= MAX_CHOICES)
      throw new Refusal(409, 'You have changed your sponsor too many times. You can no longer change it.')
    const newChoice: Touch = { site: sponsor.site, why: 'chosen', touched_at: now }
    const newTouches = rowsToAppend(enrollment_id, recorded, [...openedLinks, newChoice])
    if (newTouches.length) await db.insertInto('sponsor_touch').values(newTouches).execute()
    const expires_at = attempts.length ? null : new Date(now.getTime() + ENROLLMENT_COOKIE_DAYS * 86_400_000)
    await db.updateTable('enrollment').set({ expires_at }).where('id', '=', enrollment_id).execute()
    return newChoice
  })
  visitor.setEnrollmentCookie(enrollment_id, [...openedLinks, choice])
  return sponsor
}

const BATCH_SIZE = 1000

/**
 * Deletes enrollments in which a sponsor was chosen and nothing was ever paid; the cookie still has their links. The
 * subquery with `limit 1` finds one payment by index, where `not exists` would be planned over all payments.
 */
export async function deleteExpiredChoices({ db, now }: World): Promise<void> {
  await sql`
    with expired as (
      select id from enrollment where expires_at < ${now()}
        and (select enrollment_id from payment where enrollment_id = enrollment.id limit 1) is null
      order by expires_at limit ${sql.lit(BATCH_SIZE)} for update skip locked),
    touches as (delete from sponsor_touch where enrollment_id in (select id from expired))
    delete from enrollment where id in (select id from expired)`.execute(db)
}
