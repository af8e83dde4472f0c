import type { Selectable } from 'kysely'
import type { Sponsor } from '#contract/api.ts'
import { MASTER } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world.ts'

type Context = Pick<World, 'db' | 'now'>
export type SponsorRow = Pick<Selectable<Tables['sponsor']>, 'id' | 'site' | 'name' | 'active' | 'picture_url'>

/** The sponsor shown to visitors of a site. An unknown site leads to the master site. */
export async function findSponsor(context: Context, site: string): Promise<Sponsor> {
  const sponsor = (await resolveSite(context, site)) ?? (await resolveSite(context, MASTER))
  if (!sponsor) throw new Error(`This database has no sponsor '${MASTER}'.`)
  return publicSponsor(sponsor)
}

/** The sponsor of a site, following renames. Undefined for a site that never existed. */
export async function resolveSite({ db, now }: Context, site: string): Promise<SponsorRow | undefined> {
  const sponsor = await followRenames(db, site)
  return sponsor && { ...sponsor, active: sponsor.active && !hasEnded(sponsor.active_until, now()) }
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
    .select(['id', 'site', 'name', 'active', 'renamed_to', 'active_until', 'picture_url'])
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
