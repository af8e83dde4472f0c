import type { Selectable } from 'kysely'
import type { Sponsor } from '#contract/api.ts'
import { MASTER } from '#contract/site.ts'
import { businessNameProblem, operatorNames, publicName } from '#server/brand/public-names.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { lastKnown } from '#server/world/last-known.ts'
import type { World } from '#server/world/world.ts'

export type SponsorRow = Pick<Selectable<Tables['sponsor']>, 'id' | 'site' | 'name' | 'active' | 'picture_url'>

/** The sponsor shown to visitors of a site. An unknown site leads to the master site. */
export async function findSponsor(world: World, site: string): Promise<Sponsor> {
  const sponsor = (await shownSite(world, site)) ?? (await shownSite(world, MASTER))
  if (!sponsor) throw new Error(`This database has no sponsor '${MASTER}'.`)
  return publicSponsor(sponsor)
}

/** The sponsor of a site, following renames. Undefined for a site that never existed. */
export async function resolveSite(world: World, site: string): Promise<SponsorRow | undefined> {
  const sponsor = await followRenames(world.db, site)
  if (!sponsor) return undefined
  const { member_id, active_until, ...row } = sponsor
  const name = member_id ? await showableName(world, { member_id, name: row.name }) : row.name
  return { ...row, name, active: row.active && !hasEnded(active_until, world.now()) }
}

const knownSites = lastKnown<SponsorRow | undefined>(1000)

/** The same for pages, which don't wait while the database is away: nothing is decided by it. */
export const shownSite = (world: World, site: string) => knownSites(world, site, () => resolveSite(world, site))

/** A member's title that was stored before such names were refused, or before the brand got its name, is not shown. */
async function showableName(world: World, { member_id, name }: { member_id: string; name: string }): Promise<string> {
  const ours = await operatorNames(world)
  if (!businessNameProblem(name, ours)) return name
  const member = await world.db
    .selectFrom('member')
    .select(['first_name', 'last_name', 'business_name', 'username'])
    .where('id', '=', member_id)
    .executeTakeFirst()
  return member ? publicName(member, ours) : name
}

/** The sponsor's row under its current site. */
export async function followRenames(db: Db, site: string) {
  const visited = new Set<string>()
  for (let next = site; ; ) {
    const [sponsor] = (await selectSponsor(db, { site: next })).rows
    if (!sponsor?.renamed_to || visited.has(sponsor.renamed_to)) return sponsor
    visited.add(next)
    next = sponsor.renamed_to
  }
}

const selectSponsor = statement((db, { site }: { site: string }) =>
  db
    .selectFrom('sponsor')
    .select(['id', 'site', 'name', 'active', 'renamed_to', 'active_until', 'picture_url', 'member_id'])
    .where('site', '=', site),
)

/** A member who has canceled stays active until the end of the month they paid for. */
const hasEnded = (active_until: Date | null, now: Date) => active_until !== null && active_until <= now

/** What the public may know about a sponsor. */
export const publicSponsor = ({ site, active, name, picture_url }: SponsorRow): Sponsor => ({
  site,
  active: active ? 'Yes' : 'No',
  name,
  ...(picture_url ? { picture_url } : {}),
})
