import { isbot } from 'isbot'
import { sql } from 'kysely'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { countStep } from '#server/funnel/funnel.ts'
import { Refusal } from '#server/refusal.ts'
import type { Address, Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { findSponsor } from './sponsors.ts'

/** Counts a visit once per visitor and day. Crawlers, prefetches and other hosts do not count. */
export async function recordPageHit(world: World, { sponsor_site }: { sponsor_site: string }, visitor: Visitor) {
  if (visitor.prefetch || visitor.isFromOtherSite || !visitor.agent || isbot(visitor.agent)) return
  if (!world.config.SITE_HOSTS.includes(visitor.host)) return
  const { site } = await findSponsor(world, sponsor_site)
  if (site !== sponsor_site) return
  if (!(await isWithinLimit(world, visitor.address))) return
  countStep(world, 'opened', visitor)
  const day = today(world)
  const visitorHash = world.keys.hmac('page hits', `${day} ${visitor.address[0]} ${visitor.agent}`)
  await world.db
    .insertInto('page_hit')
    .values({ site, day, visitor: visitorHash })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** An address can invent any number of browsers, so its visits are limited. */
const isWithinLimit = (world: World, address: Address): Promise<boolean> =>
  countAgainstLimit(world, 'LIMIT_HITS', address).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

const today = ({ now }: World) => now().toISOString().slice(0, 10)

const BATCH_SIZE = 20_000

/** For past days, keeps only the number of visits, not the visitors. */
export async function rollUpVisits(world: World): Promise<void> {
  await sql`
    with past as (
      delete from page_hit where ctid = any(array(
        select ctid from page_hit where day < ${today(world)} order by day limit ${sql.lit(BATCH_SIZE)}))
      returning site, day)
    insert into page_day (site, day, visits) select site, day, count(*) from past group by site, day
    on conflict (site, day) do update set visits = page_day.visits + excluded.visits`.execute(world.db)
}
