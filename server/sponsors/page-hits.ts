import { isbot } from 'isbot'
import { sql } from 'kysely'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import type { Address, Visitor } from '#server/enrollment/visitor.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { findSponsor } from './sponsors.ts'

/** Counts a visit once per visitor and day: no crawlers, nobody who only fetches ahead, only hosts of this site. */
export async function recordPageHit(world: World, { sponsor_site }: { sponsor_site: string }, visitor: Visitor) {
  if (visitor.prefetch || visitor.isFromOtherSite || !visitor.agent || isbot(visitor.agent)) return
  if (!world.config.SITE_HOSTS.includes(visitor.host)) return
  const { site } = await findSponsor(world, sponsor_site)
  if (site !== sponsor_site) return
  if (!(await isSpendable(world, visitor.address))) return
  const day = today(world)
  const hashed = world.keys.hmac('page hits', `${day} ${visitor.address[0]} ${visitor.agent}`)
  await world.db
    .insertInto('page_hit')
    .values({ site, day, visitor: hashed })
    .onConflict((clash) => clash.doNothing())
    .execute()
}

const today = ({ now }: World) => now().toISOString().slice(0, 10)

const AT_ONCE = 20_000

/** Of past days the number of visits is kept, and no longer whose they were. */
export async function rollUpVisits(world: World): Promise<void> {
  await sql`
    with past as (
      delete from page_hit where ctid = any(array(
        select ctid from page_hit where day < ${today(world)} order by day limit ${sql.lit(AT_ONCE)}))
      returning site, day)
    insert into page_day (site, day, visits) select site, day, count(*) from past group by site, day
    on conflict (site, day) do update set visits = page_day.visits + excluded.visits`.execute(world.db)
}

/** One address can make up as many browsers as it likes, but not as many visits. */
const isSpendable = (world: World, address: Address): Promise<boolean> =>
  countAgainstLimit(world, 'LIMIT_HITS', address).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )
