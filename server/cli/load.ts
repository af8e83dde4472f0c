import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { figures } from '#contract/figures.ts'
import { AT_CHECKOUT, isShownAtCheckout } from '#contract/legal.ts'
import { MASTER } from '#contract/site.ts'
import { type ourCategory, storeText } from '#server/catalog/catalog.ts'
import { keepVersion } from '#server/catalog/documents.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { claimName } from '#server/members/claims.ts'
import {
  type DocumentFile,
  InvalidFiles,
  type PackageRow,
  type ReportProblem,
  readDocuments,
  readPackages,
  readSponsors,
  type SponsorRow,
} from './operator-files.ts'

type Category = ReturnType<typeof ourCategory>
const specCategory: Category = { product_category_id: figures.product_category_id, language_id: figures.language_id }

/**
 * Loads sponsors.csv, packages.csv and documents/*.html from a folder. Each file is optional, and rows that are not in it
 * stay as they are, so a package is withdrawn by its status. A changed document becomes a new version.
 */
export async function loadFolder(
  db: Db,
  folder: URL | string,
  now: Date,
  warn: ReportProblem = () => {},
  category: Category = specCategory,
): Promise<Record<string, number>> {
  const base = typeof folder === 'string' ? resolve(folder) : fileURLToPath(folder)
  const problems: string[] = []
  const report: ReportProblem = (where, problem) => problems.push(`${where}: ${problem}`)
  const sponsors = await readSponsors(base, report)
  const packages = await readPackages(base, report)
  const documents = await readDocuments(base, report)
  for (const [index, { where, product_id }] of packages.entries())
    if (packages.slice(0, index).some((other) => other.product_id === product_id))
      report(where, `product_id ${product_id} appears twice`)
  if (!sponsors.length && !packages.length && !documents.length && !problems.length)
    report(basename(base), 'there is no sponsors.csv, packages.csv or documents/*.html here')
  await checkRenames(db, sponsors, report)
  if (problems.length) throw new InvalidFiles(problems)

  for (const row of packages) warnOfPackage(row, category, warn)
  await inTransaction(db, async (db) => {
    const added: string[] = []
    for (const sponsor of sponsors) if (await upsertSponsor(db, sponsor, now)) added.push(sponsor.site)
    if (added.length) await moveMembers(db, added)
    for (const row of packages) await (row.status === 'active' ? upsertPackage : withdrawPackage)(db, row, now)
    for (const document of documents) await upsertDocument(db, document, now)
    if (documents.length) await requireCheckout(db)
  })
  return { sponsors: sponsors.length, packages: packages.length, documents: documents.length }
}

/** What can be loaded, but is rarely meant. */
function warnOfPackage({ where, status, ...row }: PackageRow, ours: Category, warn: ReportProblem) {
  if (status !== 'active') return
  const isOurs = row.product_category_id === ours.product_category_id && row.language_id === ours.language_id
  const isStarter = isOurs && !row.is_recurring && !row.is_special
  if (isStarter && row.price_cents === 0) warn(where, 'price is 0.00: visitors join for free')
  if (isStarter && row.renewal_cents === 0) warn(where, 'renewal_price is empty: members pay once and never again')
  if (!assetFolders.some((folder) => existsSync(new URL(`.${row.image_url}`, folder))))
    warn(where, `there is no image ${row.image_url}: put it into web/public and build again`)
  if (!isOurs)
    warn(
      where,
      `no page asks for category ${row.product_category_id} in language ${row.language_id}, only for category ${ours.product_category_id} in language ${ours.language_id}`,
    )
}

/** Where images are, before and after the build. */
const assetFolders = [new URL('../../web/public/', import.meta.url), new URL('../../dist/web/', import.meta.url)]

/** A renamed site must redirect to an existing site, not to another renamed one, and not to a site of another member. */
async function checkRenames(db: Db, sponsors: SponsorRow[], report: ReportProblem) {
  const renames = new Map(sponsors.map((sponsor) => [sponsor.site, sponsor.renamed_to]))
  const stored = await findSites(
    db,
    sponsors.flatMap(({ site, renamed_to }) => (renamed_to ? [site, renamed_to] : [])),
  )
  for (const { site, renamed_to } of stored.values()) if (!renames.has(site)) renames.set(site, renamed_to)
  const seen = new Set<string>()
  for (const { where, site, renamed_to } of sponsors) {
    if (seen.has(site)) report(where, `site '${site}' appears twice`)
    seen.add(site)
    if (!renamed_to) continue
    if (!renames.has(renamed_to)) report(where, `renamed_to '${renamed_to}' is not the site of a sponsor`)
    else if (renames.get(renamed_to)) report(where, `renamed_to '${renamed_to}' is itself renamed: use the last site`)
    else if (isTaken(stored.get(site), stored.get(renamed_to)))
      report(where, `'${site}' is a member's site, and '${renamed_to}' belongs to another sponsor: use a new one`)
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
type SiteRow = Pick<Tables['sponsor'], 'site' | 'renamed_to' | 'member_id'>

/** A member's site may be renamed to a new site, to the master, or to the same site as before. */
const isTaken = (old: SiteRow | undefined, target: SiteRow | undefined) =>
  old?.member_id && target && ![MASTER, old.renamed_to].includes(target.site) && target.member_id !== old.member_id

/** Returns whether the sponsor is new. */
async function upsertSponsor(db: Db, { where, ...row }: SponsorRow, created_at: Date): Promise<boolean> {
  const { site, ...rest } = row
  const isFree = await claimName(db, { kind: 'username', value: site })
  const existing = await db.selectFrom('sponsor').select('id').where('site', '=', site).executeTakeFirst()
  if (!existing && !isFree)
    throw new InvalidFiles([`${where}: site '${site}' is reserved by a visitor who is joining right now`])
  await db
    .insertInto('sponsor')
    .values({ id: randomUUID(), created_at, ...row })
    .onConflict((conflict) => conflict.column('site').doUpdateSet(rest))
    .execute()
  return !existing
}

/** The member of a renamed site gets the new site. */
const moveMembers = (db: Db, added: string[]) =>
  db
    .updateTable('sponsor as target')
    .from('sponsor as old')
    .set(({ ref }) => ({ member_id: ref('old.member_id'), active_until: ref('old.active_until') }))
    .whereRef('old.renamed_to', '=', 'target.site')
    .where('old.member_id', 'is not', null)
    .where('target.site', 'in', added)
    .execute()

const upsertPackage = (db: Db, { where: _where, status: _status, ...row }: PackageRow) =>
  db
    .insertInto('package')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet({ ...row, withdrawn_at: null }))
    .execute()

/** Orders and memberships keep the name and price of a withdrawn package. */
const withdrawPackage = (db: Db, { product_id }: PackageRow, withdrawn_at: Date) =>
  db
    .updateTable('package')
    .set({ withdrawn_at })
    .where('product_id', '=', product_id)
    .where('withdrawn_at', 'is', null)
    .execute()

/** A new text or title is a new version. The old text stays, because members may have accepted it. */
async function upsertDocument(db: Db, { content, ...row }: DocumentFile, published_at: Date) {
  await storeText(db, row.sha256, content)
  const stored = await db
    .selectFrom('legal_document')
    .select(['version', 'sha256', 'title'])
    .where('id', '=', row.id)
    .executeTakeFirst()
  const isChanged = stored && (stored.sha256 !== row.sha256 || stored.title !== row.title)
  const version = stored ? stored.version + (isChanged ? 1 : 0) : 1
  await db
    .insertInto('legal_document')
    .values({ ...row, version })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, version }))
    .execute()
  const { id, title, sha256 } = row
  await keepVersion(db, { document_id: id, version, title, sha256, published_at, published_by: null })
}

/** Visitors must accept a document before they can pay. */
async function requireCheckout(db: Db) {
  const documents = await db.selectFrom('legal_document').select(['status', 'display_on_checkout']).execute()
  if (!documents.some(isShownAtCheckout))
    throw new InvalidFiles([`documents: at least one must be active and list ${AT_CHECKOUT}, or visitors cannot pay`])
}
