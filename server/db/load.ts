import { randomUUID } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AT_CHECKOUT, isShownAtCheckout } from '#contract/legal.ts'
import { MASTER } from '#contract/site.ts'
import { storeText } from '#server/catalog/catalog.ts'
import { claimName } from '#server/enrollment/claims.ts'
import { type Db, inTransaction } from './db.ts'
import {
  type DocumentFile,
  InvalidFiles,
  type PackageRow,
  type Problem,
  readDocuments,
  readPackages,
  readSponsors,
  type SponsorRow,
} from './operator-files.ts'
import type { Tables } from './tables.ts'

/**
 * Loads sponsors.csv, packages.csv and documents/*.html from a folder; a file that is not there changes nothing.
 * Loading the same folder twice is the same as loading it once. A changed document is a new version. A package is withdrawn by
 * its status, because one that no line names stays.
 */
export async function loadFolder(db: Db, folder: URL | string, now: Date): Promise<Record<string, number>> {
  const base = typeof folder === 'string' ? resolve(folder) : fileURLToPath(folder)
  const problems: string[] = []
  const problem: Problem = (where, sentence) => problems.push(`${where}: ${sentence}`)
  const sponsors = await readSponsors(base, problem)
  const packages = await readPackages(base, problem)
  const documents = await readDocuments(base, problem)
  for (const [place, { where, product_id }] of packages.entries())
    if (packages.slice(0, place).some((other) => other.product_id === product_id))
      problem(where, `product_id ${product_id} stands here twice`)
  if (!sponsors.length && !packages.length && !documents.length && !problems.length)
    problem(basename(base), 'there is no sponsors.csv, packages.csv or documents/*.html here')
  await checkRenames(db, sponsors, problem)
  if (problems.length) throw new InvalidFiles(problems)

  await inTransaction(db, async (db) => {
    const added: string[] = []
    for (const sponsor of sponsors) if (await keepSponsor(db, sponsor, now)) added.push(sponsor.site)
    if (added.length) await passOnMembers(db, added)
    for (const row of packages) await (row.status === 'active' ? keepPackage : withdrawPackage)(db, row)
    for (const document of documents) await keepDocument(db, document)
    if (documents.length) await requireCheckout(db)
  })
  return { sponsors: sponsors.length, packages: packages.length, documents: documents.length }
}

/** A renamed site leads somewhere, not in a circle, and takes nobody's site away. */
async function checkRenames(db: Db, sponsors: SponsorRow[], problem: Problem) {
  const known = new Map(sponsors.map((sponsor) => [sponsor.site, sponsor.renamed_to]))
  const stored = await findSites(
    db,
    sponsors.flatMap(({ site, renamed_to }) => (renamed_to ? [site, renamed_to] : [])),
  )
  for (const { site, renamed_to } of stored.values()) if (!known.has(site)) known.set(site, renamed_to)
  const seen = new Set<string>()
  for (const { where, site, renamed_to } of sponsors) {
    if (seen.has(site)) problem(where, `site '${site}' stands here twice`)
    seen.add(site)
    if (!renamed_to) continue
    if (!known.has(renamed_to)) problem(where, `renamed_to '${renamed_to}' is no sponsor's site`)
    else if (known.get(renamed_to)) problem(where, `renamed_to '${renamed_to}' is itself renamed: name the last site`)
    else if (isTaken(stored.get(site), stored.get(renamed_to)))
      problem(where, `'${site}' is a member's site, and '${renamed_to}' is somebody else's: name a new one`)
  }
}

async function findSites(db: Db, sites: string[]) {
  if (!sites.length) return new Map<string, never>()
  const rows = await db
    .selectFrom('sponsor')
    .select(['site', 'renamed_to', 'member_id'])
    .where('site', 'in', sites)
    .execute()
  return new Map(rows.map((row) => [row.site, row]))
}
type Place = Pick<Tables['sponsor'], 'site' | 'renamed_to' | 'member_id'>

/** A member's site moves to a new one; it may also lead home, or stay where it was led before. */
const isTaken = (old: Place | undefined, heir: Place | undefined) =>
  old?.member_id && heir && ![MASTER, old.renamed_to].includes(heir.site) && heir.member_id !== old.member_id

/** Whether it is a new one. */
async function keepSponsor(db: Db, { where, ...row }: SponsorRow, created_at: Date): Promise<boolean> {
  const { site, ...rest } = row
  const isFree = await claimName(db, { kind: 'username', value: site })
  const known = await db.selectFrom('sponsor').select('id').where('site', '=', site).executeTakeFirst()
  if (!known && !isFree)
    throw new InvalidFiles([`${where}: site '${site}' is being taken by somebody who is joining right now`])
  await db
    .insertInto('sponsor')
    .values({ id: randomUUID(), created_at, ...row })
    .onConflict((clash) => clash.column('site').doUpdateSet(rest))
    .execute()
  return !known
}

/** A renamed site of a member stays that member's, if the new one is really new. */
const passOnMembers = (db: Db, added: string[]) =>
  db
    .updateTable('sponsor as heir')
    .from('sponsor as old')
    .set(({ ref }) => ({ member_id: ref('old.member_id'), active_until: ref('old.active_until') }))
    .whereRef('old.renamed_to', '=', 'heir.site')
    .where('old.member_id', 'is not', null)
    .where('heir.site', 'in', added)
    .execute()

const keepPackage = (db: Db, { where: _where, status: _status, ...row }: PackageRow) =>
  db
    .insertInto('package')
    .values(row)
    .onConflict((clash) => clash.column('product_id').doUpdateSet(row))
    .execute()

/** It is no longer sold; what was bought stays in its order, with name and price. */
const withdrawPackage = (db: Db, { product_id }: PackageRow) =>
  db.deleteFrom('package').where('product_id', '=', product_id).execute()

/** Another text or title is another version; the old text stays, because somebody may have accepted it. */
async function keepDocument(db: Db, { content, ...row }: DocumentFile) {
  await storeText(db, row.sha256, content)
  const stored = await db
    .selectFrom('legal_document')
    .select(['version', 'sha256', 'title'])
    .where('id', '=', row.id)
    .executeTakeFirst()
  const changed = stored && (stored.sha256 !== row.sha256 || stored.title !== row.title)
  const version = stored ? stored.version + (changed ? 1 : 0) : 1
  await db
    .insertInto('legal_document')
    .values({ ...row, version })
    .onConflict((clash) => clash.column('id').doUpdateSet({ ...row, version }))
    .execute()
}

/** Every visitor accepts something before they pay. */
async function requireCheckout(db: Db) {
  const documents = await db.selectFrom('legal_document').select(['status', 'display_on_checkout']).execute()
  if (!documents.some(isShownAtCheckout))
    throw new InvalidFiles([`documents: none is active and names ${AT_CHECKOUT}, and without one nobody can pay`])
}
