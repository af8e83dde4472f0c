import type { Selectable } from 'kysely'
import type { Sponsor } from '#contract/api.ts'
import { MASTER } from '#contract/site.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world.ts'

type Place = Pick<World, 'db' | 'now'>
export type SponsorRow = Pick<Selectable<Tables['sponsor']>, 'id' | 'site' | 'name' | 'active'>

/** The sponsor that a site leads to, through renames; nobody if the word was never one. */
export async function resolveSite({ db, now }: Place, site: string): Promise<SponsorRow | undefined> {
  const passed = new Set<string>()
  for (let next = site; ; ) {
    const [found] = (await sponsorAt(db, { site: next })).rows
    if (!found?.renamed_to || passed.has(found.renamed_to))
      return found && { ...found, active: found.active && !isPast(found.active_until, now()) }
    passed.add(next)
    next = found.renamed_to
  }
}

const sponsorAt = statement((db, { site }: { site: string }) =>
  db
    .selectFrom('sponsor')
    .select(['id', 'site', 'name', 'active', 'renamed_to', 'active_until'])
    .where('site', '=', site),
)

/** The paid month of a member who has cancelled is over. */
const isPast = (until: Date | null, now: Date) => until !== null && until <= now

/** Whom a visitor of this site meets. A word we do not know leads to the master site. */
export async function findSponsor(place: Place, sponsor_site: string): Promise<Sponsor> {
  const found = (await resolveSite(place, sponsor_site)) ?? (await resolveSite(place, MASTER))
  if (!found) throw new Error(`This database has no sponsor '${MASTER}'.`)
  return publicSponsor(found)
}

/** What everybody may know of a sponsor. */
export const publicSponsor = ({ site, active, name }: SponsorRow): Sponsor => ({
  site,
  active: active ? 'Yes' : 'No',
  name,
})
