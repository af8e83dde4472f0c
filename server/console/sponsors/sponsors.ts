import { randomUUID } from 'node:crypto'
import type * as z from 'zod/mini'
import type { Staff } from '#contract/console/access.ts'
import type { ActionName } from '#contract/console/permissions.ts'
import type { consoleSponsorCalls, SponsorPage } from '#contract/console/sponsors.ts'
import { addDays } from '#contract/renewal.ts'
import { MASTER, reservedWords } from '#contract/site.ts'
import { recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { claimName } from '#server/members/claims.ts'
import { deletePicture, pixelsOf, storePicture } from '#server/members/picture.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { requireVersion, versionOf } from '../form-version.ts'
import { dropCatalogPicture, storeCatalogPicture } from '../packages/pictures.ts'
import { dailyFigures } from './sponsor-figures.ts'
import { type Stored, toRow } from './sponsor-list.ts'

type Input<Name extends keyof typeof consoleSponsorCalls> = z.infer<(typeof consoleSponsorCalls)[Name]['input']>
type Facts = Record<string, string | number | boolean | null>

const MAX_EARLIER_SITES = 50
const NO_SPONSOR = 'There is no such sponsor.'

export async function viewSponsor(world: World, sponsor_id: string): Promise<SponsorPage> {
  const { db, config } = world
  const row = await db.selectFrom('sponsor').selectAll().where('id', '=', sponsor_id).executeTakeFirst()
  if (!row) throw new Refusal(404, NO_SPONSOR)
  const earlier = await db
    .selectFrom('sponsor')
    .select('site')
    .where('renamed_to', '=', row.site)
    .orderBy('site')
    .limit(MAX_EARLIER_SITES)
    .execute()
  const days = (await dailyFigures(world, [row.site])).get(row.site) ?? []
  return {
    ...toRow(world, row, days),
    link: `${config.PUBLIC_URL}/${row.site}`,
    version: versionOf({ site: row.site }),
    earlier_sites: earlier.map(({ site }) => site),
    days,
  }
}

/** Does something with a sponsor, whose row is locked meanwhile, and writes it down, both or neither. */
async function actOnSponsor(
  world: World,
  staff: Staff,
  { act, sponsor_id, reason }: { act: ActionName; sponsor_id: string; reason?: string },
  work: (db: Db, row: Stored) => Promise<{ before?: Facts; after?: Facts }>,
): Promise<SponsorPage> {
  await inTransaction(world.db, async (db) => {
    const row = await db.selectFrom('sponsor').selectAll().where('id', '=', sponsor_id).forUpdate().executeTakeFirst()
    if (!row) throw new Refusal(404, NO_SPONSOR)
    if (row.renamed_to) throw new Refusal(409, `This link leads to /${row.renamed_to}. Please open that sponsor.`)
    const outcome = await work(db, row)
    await recordAction(
      { ...world, db },
      { act, actor: staff, subject_kind: 'sponsor', subject: sponsor_id, reason, ...outcome },
    )
  })
  return viewSponsor(world, sponsor_id)
}

const TAKEN = 'This word is taken.'

/** Sites and usernames are one namespace: the same claim decides. */
async function claimSite(db: Db, site: string) {
  const isFree = !reservedWords.has(site) && (await claimName(db, { kind: 'username', value: site }))
  if (!isFree) throw refuseFields({ site: TAKEN })
}

export async function addSponsor(
  world: World,
  { site, name }: Input<'addSponsor'>,
  staff: Staff,
): Promise<SponsorPage> {
  const id = randomUUID()
  await inTransaction(world.db, async (db) => {
    await claimSite(db, site)
    await db.insertInto('sponsor').values({ id, site, name, active: true, created_at: world.now() }).execute()
    await recordAction(
      { ...world, db },
      { act: 'add_sponsor', actor: staff, subject_kind: 'sponsor', subject: id, after: { site } },
    )
  })
  return viewSponsor(world, id)
}

const isOn = ({ active, active_until }: Stored, now: Date) => active && (!active_until || active_until > now)

/** The page of a member ends with the membership, whatever staff do. */
export const activateSponsor = (world: World, { sponsor_id }: Input<'activateSponsor'>, staff: Staff) =>
  actOnSponsor(world, staff, { act: 'activate_sponsor', sponsor_id }, async (db, row) => {
    const hasEnded = row.active_until !== null && row.active_until <= world.now()
    if (row.member_id && hasEnded)
      throw new Refusal(
        409,
        'This is the page of a member whose membership has ended. It comes back with the membership.',
      )
    if (row.active && (row.member_id || !row.active_until))
      throw new Refusal(409, 'It is active already. Please reload the page.')
    await db
      .updateTable('sponsor')
      .set({ active: true, ...(row.member_id ? {} : { active_until: null }) })
      .where('id', '=', row.id)
      .execute()
    return { before: statusOf(row), after: { active: true } }
  })

const statusOf = ({ active, active_until }: Stored): Facts => ({
  active,
  active_until: active_until?.toISOString() ?? null,
})

export const deactivateSponsor = (world: World, input: Input<'deactivateSponsor'>, staff: Staff) => {
  const { sponsor_id, last_day, reason } = input
  return actOnSponsor(world, staff, { act: 'deactivate_sponsor', sponsor_id, reason }, async (db, row) => {
    if (row.site === MASTER) throw new Refusal(409, 'The main site is always active: visitors without a link go there.')
    if (!isOn(row, world.now())) throw new Refusal(409, 'It is inactive already. Please reload the page.')
    if (last_day && row.member_id)
      throw refuseFields({
        last_day: 'For a member, the membership decides the day. Leave this empty to switch it off now.',
      })
    if (last_day && last_day < todayOf(world)) throw refuseField('last_day', 'Please choose today or a later day.')
    const change = last_day
      ? { active_until: startOfDay(world.config.TIME_ZONE, addDays(last_day, 1)) }
      : { active: false }
    await db.updateTable('sponsor').set(change).where('id', '=', row.id).execute()
    return { before: statusOf(row), after: statusOf({ ...row, ...change }) }
  })
}

/**
 * The sponsor keeps its row, and with it everyone who joined; the old word gets a row that leads on. A member renames the
 * page with the username, in the office.
 */
export const renameSponsor = (world: World, input: Input<'renameSponsor'>, staff: Staff) => {
  const { sponsor_id, site, reason } = input
  return actOnSponsor(world, staff, { act: 'rename_sponsor', sponsor_id, reason }, async (db, row) => {
    requireVersion({ site: row.site }, input.version)
    if (row.site === MASTER) throw new Refusal(409, 'The main site cannot be renamed.')
    if (row.member_id) throw new Refusal(409, 'A member’s link is the username, which only the member can change.')
    if (row.site === site) throw refuseFields({ site: 'This is the word already.' })
    const earlier = await db
      .selectFrom('sponsor')
      .select('id')
      .where('site', '=', site)
      .where('renamed_to', '=', row.site)
      .where('member_id', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!earlier) await claimSite(db, site)
    else
      await db
        .updateTable('sponsor')
        .set({ site: `-${earlier.id}` })
        .where('id', '=', earlier.id)
        .execute()
    await db.updateTable('sponsor').set({ site }).where('id', '=', row.id).execute()
    if (earlier) await db.updateTable('sponsor').set({ site: row.site }).where('id', '=', earlier.id).execute()
    else
      await db
        .insertInto('sponsor')
        .values({ ...row, id: randomUUID(), picture_url: null, renamed_to: site })
        .execute()
    await db.updateTable('sponsor').set({ renamed_to: site }).where('renamed_to', '=', row.site).execute()
    const payload = { sponsor_id: row.id, former_sponsor_id: row.id }
    await addEvent(db, world.now(), { type: 'sponsor.renamed', member_id: null, payload })
    return { before: { site: row.site }, after: { site } }
  })
}

/** A member's picture is the one of the office. */
export async function setSponsorPicture(
  world: World,
  { sponsor_id, picture }: Input<'setSponsorPicture'>,
  staff: Staff,
) {
  const content = pixelsOf(picture)
  return actOnSponsor(world, staff, { act: 'change_sponsor_picture', sponsor_id }, async (db, row) => {
    if (row.member_id) await storePicture(db, row.member_id, content)
    else {
      const picture_url = await storeCatalogPicture(db, `sponsor ${row.id}`, content)
      if (picture_url !== row.picture_url) await dropCatalogPicture(db, row.picture_url)
      await db.updateTable('sponsor').set({ picture_url }).where('id', '=', row.id).execute()
    }
    return { before: { has_picture: row.picture_url !== null }, after: { has_picture: true } }
  })
}

export const removeSponsorPicture = (world: World, { sponsor_id }: Input<'removeSponsorPicture'>, staff: Staff) =>
  actOnSponsor(world, staff, { act: 'change_sponsor_picture', sponsor_id }, async (db, row) => {
    if (!row.picture_url) throw new Refusal(409, 'There is no picture. Please reload the page.')
    if (row.member_id) await deletePicture(db, row.member_id)
    else {
      await db.updateTable('sponsor').set({ picture_url: null }).where('id', '=', row.id).execute()
      await dropCatalogPicture(db, row.picture_url)
    }
    return { before: { has_picture: true }, after: { has_picture: false } }
  })
