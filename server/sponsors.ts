import type { Selectable } from 'kysely'
import type { Sponsor } from '#contract/api.ts'
import { MASTER } from '#contract/limits.ts'
import type { Db } from './db/open.ts'
import type { Tables } from './db/tables.ts'

/** The sponsor that a site leads to, through renames; nobody if the word was never one. */
async function follow(db: Db, site: string, renames = 5): Promise<Sponsored | undefined> {
  const found = await db.selectFrom('sponsor').selectAll().where('site', '=', site).executeTakeFirst()
  return found?.renamed_to && renames ? follow(db, found.renamed_to, renames - 1) : found
}
type Sponsored = Selectable<Tables['sponsor']>

/** Whom a visitor of this site meets. A word we do not know leads to the master site. */
export async function findSponsor(db: Db, sponsor_site: string): Promise<Sponsor> {
  const found = (await follow(db, sponsor_site)) ?? (await follow(db, MASTER))
  if (!found) throw new Error(`This database has no sponsor '${MASTER}'.`)
  return { site: found.site, active: found.active ? 'Yes' : 'No', name: found.name }
}

/** The sponsor who gets the credit, if this site may enroll anyone at all. */
export async function sponsorInCredit(db: Db, sponsor_site: string): Promise<{ id: string; site: string } | undefined> {
  const found = await follow(db, sponsor_site)
  return found?.active ? found : undefined
}
