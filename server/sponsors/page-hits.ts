import { isbot } from 'isbot'
import { type RawBuilder, sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { isWithinLimit } from '#server/abuse/limits.ts'
import type { Client } from '#server/client.ts'
import { countStep } from '#server/funnel/funnel.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { findSponsor } from './sponsors.ts'

/** Counts a visit once per visitor and day, and says whether it did. Crawlers, prefetches and other hosts do not count. */
export async function recordPageHit(
  world: World,
  { sponsor_site }: { sponsor_site: string },
  visitor: Client,
  find = () => findSponsor(world, sponsor_site) as Promise<{ site: string }>,
): Promise<boolean> {
  if (visitor.prefetch || visitor.isFromOtherSite || !visitor.agent || isbot(visitor.agent)) return false
  if (!world.config.SITE_HOSTS.includes(visitor.host)) return false
  const { site } = await find()
  if (site !== sponsor_site) return false
  if (!(await isWithinLimit(world, 'LIMIT_HITS', visitor.address))) return false // an address can invent any number of browsers
  countStep(world, 'opened', visitor)
  const day = todayOf(world)
  const visitorHash = world.keys.hmac('page hits', `${day} ${visitor.address[0]} ${visitor.agent}`)
  const { numInsertedOrUpdatedRows } = await world.db
    .insertInto('page_hit')
    .values({ site, day, visitor: visitorHash })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows) === 1
}

const BATCH_SIZE = 20_000

/** The days whose visits the list of sponsors adds up. */
const RECENT_DAYS = 30

/** For past days, keeps only the number of visits, not the visitors. */
export async function rollUpVisits(world: World): Promise<void> {
  await sql`
    with past as (
      delete from page_hit where ctid = any(array(
        select ctid from page_hit where day < ${todayOf(world)} order by day limit ${sql.lit(BATCH_SIZE)}))
      returning site, day),
    counted as (select site, day, count(*) as visits from past group by site, day),
    kept as (
      insert into page_day (site, day, visits) select site, day, visits from counted
      on conflict (site, day) do update set visits = page_day.visits + excluded.visits
      returning site, day, is_recent)
    ${addToSponsors(sql`+`, sql`select site, visits from counted join kept using (site, day) where is_recent`)}`.execute(
    world.db,
  )
  await forgetOldVisits(world)
}

/** Each day leaves the sum of its sponsor once. */
async function forgetOldVisits(world: World): Promise<void> {
  const first = addDays(todayOf(world), -RECENT_DAYS)
  await sql`
    with old as (
      update page_day set is_recent = false where (site, day) in (
        select site, day from page_day where is_recent and day < cast(${first} as date)
        order by day limit ${sql.lit(BATCH_SIZE)})
      and is_recent returning site, visits)
    ${addToSponsors(sql`-`, sql`select site, visits from old`)}`.execute(world.db)
}

/** The visits of an earlier site belong to the sponsor it leads to. */
const addToSponsors = (sign: RawBuilder<unknown>, visits: RawBuilder<unknown>) => sql`
  update sponsor set recent_visits = recent_visits ${sign} added.visits from (
    select coalesce(renamed_to, sponsor.site) as site, cast(sum(visits) as integer) as visits
    from (${visits}) counted join sponsor on sponsor.site = counted.site group by 1) added
  where sponsor.site = added.site and sponsor.renamed_to is null`
