import { sql } from 'kysely'
import type * as z from 'zod/mini'
import type { Staff } from '#contract/console/access.ts'
import type { consolePackageCalls, PackagePage, PackageRow, PriceGroup } from '#contract/console/packages.ts'
import type { ActionName } from '#contract/console/permissions.ts'
import { plainDay } from '#contract/days.ts'
import { toAmount, toCents } from '#contract/money.ts'
import { groupOf } from '#contract/packages.ts'
import { addDays, MIN_NOTICE_DAYS, NOTICE_DAYS } from '#contract/renewal.ts'
import { recordAction } from '#server/audit/audit.ts'
import { ourCategory } from '#server/catalog/catalog.ts'
import { allVolumes } from '#server/catalog/volumes.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { pixelsOf } from '#server/members/picture.ts'
import { changePrice, countChanged, pricesOf } from '#server/membership/price-change.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { requireVersion, versionOf } from '../form-version.ts'
import { dropCatalogPicture, storeCatalogPicture } from './pictures.ts'
import { listVolumes } from './volumes.ts'

type Input<Name extends keyof typeof consolePackageCalls> = z.infer<(typeof consolePackageCalls)[Name]['input']>
type Stored = Tables['package']
type Facts = Record<string, string | number | boolean | null>

export async function listPackages({ db, config }: World): Promise<{ packages: PackageRow[] }> {
  const rows = await db
    .selectFrom('package')
    .selectAll()
    .orderBy('product_category_id')
    .orderBy('language_id')
    .orderBy('position')
    .orderBy('product_id')
    .execute()
  return { packages: rows.map((row) => toRow(row, config)) }
}

const toRow = (row: Stored, config: World['config']): PackageRow => {
  const { price_cents, renewal_cents, withdrawn_at, position: _position, ...rest } = row
  return {
    ...rest,
    group: groupOf(row),
    price: toAmount(price_cents),
    ...(renewal_cents ? { renewal_price: toAmount(renewal_cents) } : {}),
    is_ours: isOurs(row, config),
    is_preselected: isOurs(row, config) && groupOf(row) === 'starter' && row.product_id === config.PRESELECTED_PACKAGE,
    ...(withdrawn_at ? { withdrawn_at: withdrawn_at.toISOString() } : {}),
  }
}

const isOurs = ({ product_category_id, language_id }: Stored, config: World['config']) => {
  const ours = ourCategory(config)
  return product_category_id === ours.product_category_id && language_id === ours.language_id
}

const MAX_CHANGES = 20

export async function viewPackage({ db, config }: World, product_id: number): Promise<PackagePage> {
  const row = await db.selectFrom('package').selectAll().where('product_id', '=', product_id).executeTakeFirst()
  if (!row) throw new Refusal(404, 'There is no such package.')
  const changes = await db
    .selectFrom('price_change')
    .selectAll()
    .where('product_id', '=', product_id)
    .orderBy('made_at', 'desc')
    .limit(MAX_CHANGES)
    .execute()
  return {
    ...toRow(row, config),
    version: versionOf(formOf(row)),
    price_changes: changes.map(({ old_cents, new_cents, made_at, made_by, reason, notice_days, told, done_at }) => ({
      made_by,
      reason,
      notice_days,
      told,
      old_price: toAmount(old_cents),
      new_price: toAmount(new_cents),
      made_at: made_at.toISOString(),
      ...(done_at ? { done_at: done_at.toISOString() } : {}),
    })),
    volumes: listVolumes(row, await allVolumes(db, product_id)),
  }
}

/** Everything that staff edit, prices included. */
const formOf = (row: Stored): Facts => ({
  ...factsOf(row),
  price_cents: row.price_cents,
  renewal_cents: row.renewal_cents,
})

/** All but the prices. */
const factsOf = (row: Stored): Facts => ({
  name: row.name,
  description: row.description,
  ships: row.ships,
  group: groupOf(row),
})

type Outcome = { before?: Facts; after?: Facts; reason?: string }

/** Does something with a package, which is locked meanwhile, and writes it down, both or neither. */
export async function actOnPackage(
  world: World,
  staff: Staff,
  act: ActionName,
  product_id: number,
  work: (db: Db, row: Stored) => Promise<Outcome>,
): Promise<PackagePage> {
  await inTransaction(world.db, async (db) => {
    const row = await db
      .selectFrom('package')
      .selectAll()
      .where('product_id', '=', product_id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new Refusal(404, 'There is no such package.')
    const outcome = await work(db, row)
    await recordAction(
      { ...world, db },
      { act, actor: staff, subject_kind: 'package', subject: String(product_id), ...outcome },
    )
  })
  return viewPackage(world, product_id)
}

const flagsOf = (group: Input<'addPackage'>['group']) => ({
  is_recurring: group === 'subscription',
  is_special: group === 'special',
})

const NO_PICTURE = '/assets/packages/34.svg'

/** It is offered at once, at the end of its list. */
export async function addPackage(world: World, input: Input<'addPackage'>, staff: Staff): Promise<PackagePage> {
  const { name, description, group, ships, billing_interval } = input
  const prices = pricesIn(input, billing_interval)
  const product_id = await inTransaction(world.db, async (db) => {
    await lockCatalog(db)
    const { rows } = await sql<{ id: number; position: number }>`
      select coalesce(max(product_id), 0) + 1 as id, coalesce(max(position), 0) + 1 as position from package`.execute(
      db,
    )
    const { id: product_id = 1, position = 1 } = rows[0] ?? {}
    await db
      .insertInto('package')
      .values({
        product_id,
        ...ourCategory(world.config),
        name,
        description,
        image_url: NO_PICTURE,
        position,
        ...prices,
        billing_interval,
        ...flagsOf(group),
        ships: ships === '1',
      })
      .execute()
    await recordAction(
      { ...world, db },
      {
        act: 'add_package',
        actor: staff,
        subject_kind: 'package',
        subject: String(product_id),
        after: { name, group, ...prices, billing_interval },
      },
    )
    return product_id
  })
  return viewPackage(world, product_id)
}

/** Numbers and positions are given out one at a time. */
const lockCatalog = (db: Db) => sql`lock table package in share row exclusive mode`.execute(db)

function pricesIn({ price, renewal_price }: { price: string; renewal_price: string }, interval: string) {
  const renewal_cents = toCents(renewal_price) ?? 0
  if (interval === 'once' && renewal_cents)
    throw refuseFields({ renewal_price: 'It is paid once, so it has no renewal price.' })
  if (interval !== 'once' && !renewal_cents)
    throw refuseFields({ renewal_price: `Please enter what it costs every ${interval} after the first.` })
  return { price_cents: toCents(price) ?? 0, renewal_cents }
}

export const editPackage = (world: World, input: Input<'editPackage'>, staff: Staff) =>
  actOnPackage(world, staff, 'edit_package', input.product_id, async (db, row) => {
    requireVersion(formOf(row), input.version)
    const { name, description } = input
    const ships = input.ships === '1'
    const change = { name, description, ships, ...flagsOf(input.group) }
    const edited = { ...row, ...change }
    if (isMain(row, world.config) && !isMain(edited, world.config)) await requireAnotherMain(db, row)
    await db.updateTable('package').set(change).where('product_id', '=', row.product_id).execute()
    return { before: factsOf(row), after: factsOf(edited) }
  })

/** Of the list that every visitor chooses from. */
const isMain = (row: Stored, config: World['config']) =>
  isOurs(row, config) && groupOf(row) === 'starter' && !row.withdrawn_at

/** Without a package in the main list, nobody could join. */
async function requireAnotherMain(db: Db, row: Stored) {
  await lockCatalog(db)
  const others = await db
    .selectFrom('package')
    .select('product_id')
    .where('product_category_id', '=', row.product_category_id)
    .where('language_id', '=', row.language_id)
    .where('is_recurring', '=', false)
    .where('is_special', '=', false)
    .where('withdrawn_at', 'is', null)
    .where('product_id', '<>', row.product_id)
    .limit(1)
    .execute()
  if (!others.length)
    throw new Refusal(
      409,
      'This is the last package of the main list. Without one, no one could join: add a package first.',
    )
}

/** Nobody's membership changes: who has the package keeps it at the price they agreed to. */
export const withdrawPackage = (world: World, { product_id }: { product_id: number }, staff: Staff) =>
  actOnPackage(world, staff, 'withdraw_package', product_id, async (db, row) => {
    if (row.withdrawn_at) throw new Refusal(409, 'It is withdrawn already. Please reload the page.')
    if (isMain(row, world.config)) await requireAnotherMain(db, row)
    await db.updateTable('package').set({ withdrawn_at: world.now() }).where('product_id', '=', product_id).execute()
    return { before: { is_offered: true }, after: { is_offered: false } }
  })

export const offerPackage = (world: World, { product_id }: { product_id: number }, staff: Staff) =>
  actOnPackage(world, staff, 'offer_package', product_id, async (db, row) => {
    if (!row.withdrawn_at) throw new Refusal(409, 'It is offered already. Please reload the page.')
    await db.updateTable('package').set({ withdrawn_at: null }).where('product_id', '=', product_id).execute()
    return { before: { is_offered: false }, after: { is_offered: true } }
  })

/** Changes places with the next package of the same list that is offered. */
export async function movePackage(world: World, { product_id, direction }: Input<'movePackage'>, staff: Staff) {
  await inTransaction(world.db, async (db) => {
    await lockCatalog(db)
    const rows = await db.selectFrom('package').selectAll().orderBy('position').orderBy('product_id').execute()
    const moved = rows.find((row) => row.product_id === product_id)
    if (!moved) throw new Refusal(404, 'There is no such package.')
    const list = rows.filter((row) => isSameList(row, moved))
    const neighbor = list[list.indexOf(moved) + (direction === 'up' ? -1 : 1)]
    if (!neighbor)
      throw new Refusal(409, `It is the ${direction === 'up' ? 'first' : 'last'} of its list. Please reload the page.`)
    const order = rows.map((row) => (row === moved ? neighbor : row === neighbor ? moved : row))
    for (const [index, row] of order.entries())
      if (row.position !== index + 1)
        await db
          .updateTable('package')
          .set({ position: index + 1 })
          .where('product_id', '=', row.product_id)
          .execute()
    await recordAction(
      { ...world, db },
      {
        act: 'move_package',
        actor: staff,
        subject_kind: 'package',
        subject: String(product_id),
        after: { direction, changed_places_with: neighbor.product_id },
      },
    )
  })
  return listPackages(world)
}

const isSameList = (a: Stored, b: Stored) =>
  a.product_category_id === b.product_category_id &&
  a.language_id === b.language_id &&
  groupOf(a) === groupOf(b) &&
  (a.withdrawn_at === null) === (b.withdrawn_at === null)

/** What the pages show: 720 by 296 pixels. */
const WIDE = {
  fits: (width: number, height: number) => width === 720 && height === 296,
  problem: 'Please use a picture of 720 by 296 pixels.',
}

export async function setPackagePicture(world: World, input: Input<'setPackagePicture'>, staff: Staff) {
  const content = pixelsOf(input.picture, WIDE)
  return actOnPackage(world, staff, 'change_package_picture', input.product_id, async (db, row) => {
    const image_url = await storeCatalogPicture(db, `package ${row.product_id}`, content)
    if (image_url !== row.image_url) await dropCatalogPicture(db, row.image_url)
    await db.updateTable('package').set({ image_url }).where('product_id', '=', row.product_id).execute()
    return { before: { image_url: row.image_url }, after: { image_url } }
  })
}

/** What members pay now, and what a new price would change for them. The page adds the parts up. */
export async function viewPriceEffect({ db }: Pick<World, 'db'>, input: Input<'getPriceEffect'>) {
  const new_cents = toCents(input.renewal_price) ?? 0
  const { groups, unaffected, next } = await pricesOf(db, input.product_id, input.after)
  return {
    groups: groups.map(({ pays_cents, announced_cents, members }): PriceGroup => {
      const isSame = (announced_cents ?? pays_cents) === new_cents
      return {
        pays: toAmount(pays_cents),
        ...(announced_cents === null ? {} : { announced: toAmount(announced_cents) }),
        members,
        ...(isSame ? {} : { change: new_cents <= pays_cents ? 'next_renewal' : 'after_notice' }),
      }
    }),
    unaffected,
    ...(next ? { next } : {}),
  }
}

/**
 * New members pay both prices immediately. If the change is for everyone, members who have the package are told by a job, as
 * from the command line, and pay a higher renewal price after their notice.
 */
export const changePrices = (world: World, input: Input<'changePrices'>, staff: Staff) =>
  actOnPackage(world, staff, 'change_prices', input.product_id, async (db, row) => {
    requireVersion(formOf(row), input.version)
    const { product_id, reason } = input
    const { price_cents, renewal_cents } = pricesIn(input, row.billing_interval)
    const isRenewalChanged = renewal_cents !== row.renewal_cents
    const isForAll = input.applies_to === 'all_members' && renewal_cents > 0
    const notice_days = isForAll ? noticeDays(world, input.from_on) : undefined
    const isAnnounced = isForAll && (isRenewalChanged || (await isPaidDifferently(db, product_id, renewal_cents)))
    if (!isRenewalChanged && !isAnnounced && price_cents === row.price_cents)
      throw refuseFields({ price: 'Nothing to change: these are already the prices.' })
    if (price_cents !== row.price_cents)
      await db.updateTable('package').set({ price_cents }).where('product_id', '=', product_id).execute()
    if (isAnnounced && notice_days)
      await changePrice(
        { ...world, db },
        { product_id, new_cents: renewal_cents, notice_days, reason, who: staff.email },
      )
    else await db.updateTable('package').set({ renewal_cents }).where('product_id', '=', product_id).execute()
    const amountsOf = (first: number, renewal: number): Facts => ({
      price: toAmount(first),
      renewal_price: toAmount(renewal),
    })
    return {
      before: amountsOf(row.price_cents, row.renewal_cents),
      after: { ...amountsOf(price_cents, renewal_cents), ...(isAnnounced && notice_days ? { notice_days } : {}) },
      reason,
    }
  })

/** Earlier changes may have been for new members only, so others may still pay a different price. */
async function isPaidDifferently(db: Db, product_id: number, cents: number): Promise<boolean> {
  const { more, less } = await countChanged(db, product_id, cents)
  return more + less > 0
}

function noticeDays(world: World, from_on: string | undefined): number {
  if (!from_on) throw refuseField('from_on', 'Please choose the day from which current members pay the new price.')
  const today = todayOf(world)
  const days = Math.round((Date.parse(from_on) - Date.parse(today)) / 86_400_000)
  if (days >= MIN_NOTICE_DAYS && days <= NOTICE_DAYS) return days
  const [first, last] = [MIN_NOTICE_DAYS, NOTICE_DAYS].map((ahead) => plainDay(addDays(today, ahead)))
  throw refuseField(
    'from_on',
    `Please choose a day from ${first} to ${last}: members get ${MIN_NOTICE_DAYS} to ${NOTICE_DAYS} days of notice.`,
  )
}
