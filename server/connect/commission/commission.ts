import { createHash, sign } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { showAmount, toAmount } from '#contract/money.ts'
import { allVolumes, type PriceKey, volumeFinder } from '#server/catalog/volumes.ts'
import type { Tables } from '#server/db/tables.ts'
import { OperatorError } from '#server/operator-error.ts'
import { dateCaptures } from '#server/payments/payments.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { type FileFacts, openTable } from './files.ts'
import { membersAt } from './members.ts'
import { endedMonth, type Month } from './month.ts'
import { type FindVolumes, orderLines } from './orders.ts'
import { signedAmount } from './shares.ts'

export type Context = Pick<World, 'config' | 'db' | 'keys' | 'now'>

/**
 * Writes the input for a month's commissions into a new or empty folder. The same month always gives the same bytes, whatever
 * has happened since.
 */
export async function writeMonth(context: Context, name: string, folder: string): Promise<string> {
  const month = endedMonth(context, name)
  await requireEmpty(folder)
  const parent = dirname(resolve(folder))
  await mkdir(parent, { recursive: true })
  const part = await mkdtemp(join(parent, '.commission-')) // the same disk, so it can be renamed
  try {
    await dateCaptures(context)
    const made = await madeMonths(context)
    const files = await writeTables(context, month, part, made)
    const isSame = await writeManifest(context, month, files, part, made)
    if (isSame === 'again') return await writeMonth(context, name, folder) // another process was first, with other volumes
    await rmdir(folder).catch(() => undefined)
    await rename(part, folder)
    const rows = files.map(({ name, rows }) => `${name} (${rows.toLocaleString('en-US')})`).join(', ')
    if (isSame) return `Wrote ${rows} and manifest.json with its signature to ${folder}.`
    throw new OperatorError(
      `${folder} has the files of ${name}, but they differ from the first ones. TIME_ZONE was changed, or someone changed the database directly.`,
    )
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}

async function requireEmpty(folder: string) {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new OperatorError(`${folder} can’t be used: ${error.message}`)
  })
  if (names.length) throw new OperatorError(`${folder} isn’t empty. Choose a new folder for each month.`)
}

async function writeTables(context: Context, month: Month, folder: string, made: Made): Promise<FileFacts[]> {
  const { find, missing } = await findVolumes(context, made)
  const members = await openTable(folder, 'members', ['member_id', 'joined_on', 'joined_at'])
  const tree = await openTable(folder, 'tree', [
    ...(['member_id', 'sponsor_kind', 'sponsor_id', 'placement', 'placement_parent_id'] as const),
  ])
  for await (const member of membersAt(context, month)) {
    const { member_id, joined_at, sponsor_id, is_sponsor_member, side, placement_parent_id } = member
    await members.add([member_id, dayOf(context, joined_at), joined_at.toISOString()])
    await tree.add([member_id, is_sponsor_member ? 'member' : 'page', sponsor_id, side, placement_parent_id ?? ''])
  }
  const orders = await openTable(folder, 'orders', [
    ...(['day', 'at', 'kind', 'occasion', 'order_id', 'member_id', 'product_id'] as const),
    ...(['amount', 'business_volume', 'commissionable_volume'] as const),
  ])
  for await (const line of orderLines(context, month, find)) {
    const { at, kind, occasion, order_id, member_id, product_id } = line
    await orders.add([
      ...[dayOf(context, at), at.toISOString(), kind, occasion, order_id, member_id, String(product_id)],
      ...[line.amount_cents, line.business_volume, line.commissionable_volume].map(signedAmount),
    ])
  }
  const files = [...(await members.close()), ...(await orders.close()), ...(await tree.close())]
  if (missing.size)
    throw new OperatorError(
      [
        `These prices were paid but have no volumes yet. Set them in the console, or with npm run connect -- volumes:`,
        ...[...missing].sort(),
      ].join('\n  '),
    )
  return files
}

/** Also collects the prices without volumes, so one error can name them all. */
export async function findVolumes(context: Context, { months, made_at }: Made) {
  const missing = new Set<string>()
  /** Once a month is made, its payments and earlier ones keep the volumes it was made with. */
  const frozenAt = (paid_at: Date) => {
    const month = dayOf(context, paid_at).slice(0, 7)
    const later = months.filter((each) => each.month >= month)
    return new Date(Math.min(+made_at, ...later.map((each) => +each.made_at)))
  }
  const finder = volumeFinder(await allVolumes(context.db), frozenAt)
  const find: FindVolumes = (price, paid_at) => {
    const found = finder(price, paid_at)
    if (!found) missing.add(nameOf(price))
    return found
  }
  return { find, missing }
}

/** When months were first made, as far as that is known now. */
export type Made = { months: Pick<Tables['commission_month'], 'month' | 'made_at'>[]; made_at: Date }

export const madeMonths = async ({ db, now }: Context): Promise<Made> => ({
  months: await db.selectFrom('commission_month').select(['month', 'made_at']).orderBy('month').execute(),
  made_at: now(),
})

const nameOf = ({ product_id, occasion, price_cents }: PriceKey) =>
  `package ${product_id}, ${occasion}, ${showAmount(toAmount(price_cents))}`

const recorded = ({ db }: Pick<World, 'db'>, month: string) =>
  db.selectFrom('commission_month').selectAll().where('month', '=', month).executeTakeFirst()

/**
 * Signs the hashes of all files. Keeps the first signature, so a month's signature changes only if its key is revoked. False if
 * the files differ from the first ones.
 */
async function writeManifest(context: Context, month: Month, files: FileFacts[], folder: string, made: Made) {
  const { name, time_zone, starts_at, ends_at } = month
  const content = { format: 'foyer-commission 1', month: name, time_zone, starts_at, ends_at, files }
  const manifestOf = (key_id: string) => `${JSON.stringify({ ...content, key_id }, null, 2)}\n`
  const { privateKey, kid } = context.keys.signing
  const signature = sign('sha256', Buffer.from(manifestOf(kid)), privateKey).toString('base64')
  const fresh = { sha256: sha256(JSON.stringify(content)), key_id: kid, signature }
  const first = await recordMonth(context, { month: name, made_at: made.made_at, ...fresh })
  const isFirst = !made.months.some(({ month }) => month === name)
  const { months } = await madeMonths(context)
  if (months.length !== made.months.length + (isFirst ? 1 : 0) || (isFirst && +first.made_at !== +made.made_at))
    return 'again'
  const isSame = first.sha256 === fresh.sha256
  const signed = isSame && isKnown(context, first.key_id) ? first : fresh
  if (isSame && signed === fresh)
    await context.db.updateTable('commission_month').set(fresh).where('month', '=', name).execute()
  await writeFile(join(folder, 'manifest.json'), manifestOf(signed.key_id), { mode: 0o600 })
  await writeFile(join(folder, 'manifest.sig'), Buffer.from(signed.signature, 'base64'), { mode: 0o600 })
  return isSame
}

async function recordMonth({ db }: Context, row: Tables['commission_month']) {
  await db
    .insertInto('commission_month')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await recorded({ db }, row.month)) ?? row
}

/** Not revoked. */
const isKnown = ({ keys }: Context, key_id: string) => keys.publicKeys().some(({ kid }) => kid === key_id)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
