import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world/world.ts'

/**
 * How much a paid price counts for a commission plan. Volumes belong to a package's price, when joining or at a renewal, and
 * a change takes effect immediately.
 */
export type Volumes = Pick<Tables['price_volume'], 'business_volume' | 'commissionable_volume'>
export type PriceKey = Pick<Tables['price_volume'], 'product_id' | 'occasion' | 'price_cents'>
export type VolumeRow = Selectable<Tables['price_volume']>

const keyOf = ({ product_id, occasion, price_cents }: PriceKey) => `${product_id} ${occasion} ${price_cents}`

/** All volumes ever set, oldest first. There are few: one for each price. */
export const allVolumes = (db: Db, product_id?: number): Promise<VolumeRow[]> =>
  db
    .selectFrom('price_volume')
    .selectAll()
    .$if(product_id !== undefined, (query) => query.where('product_id', '=', product_id ?? 0))
    .orderBy('product_id')
    .orderBy('occasion')
    .orderBy('price_cents')
    .orderBy('set_at')
    .execute()

/** The newest volumes of each price. */
export const newestVolumes = (rows: VolumeRow[]): VolumeRow[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
]

/**
 * Finds the volumes for a payment: the last ones set before it was paid or, if its price had none then, the last ones set
 * before `frozenAt`. So a month can wait for its volumes, and never changes later.
 */
export function volumeFinder(rows: VolumeRow[], frozenAt: (paid_at: Date) => Date) {
  const byPrice = Map.groupBy(rows, keyOf)
  return (price: PriceKey, paid_at: Date): Volumes | undefined => {
    const history = byPrice.get(keyOf(price)) ?? []
    const lastBefore = (time: Date) => history.findLast(({ set_at }) => set_at <= time)
    return lastBefore(paid_at) ?? lastBefore(frozenAt(paid_at)) ?? (price.price_cents ? undefined : NOTHING)
  }
}

/** A free price has volumes of zero unless staff have set others. */
const NOTHING: Volumes = { business_volume: 0, commissionable_volume: 0 }

/** Undefined if these are already the volumes. The package's row must be locked, so changes take turns. */
export async function setVolumes(
  { db, now }: Pick<World, 'db' | 'now'>,
  { set_by, ...volumes }: PriceKey & Volumes & { set_by: string },
): Promise<{ before: Volumes | undefined } | undefined> {
  const rows = await allVolumes(db, volumes.product_id)
  const before = newestVolumes(rows).find((row) => keyOf(row) === keyOf(volumes))
  const isSame = (name: keyof Volumes) => before?.[name] === volumes[name]
  if (isSame('business_volume') && isSame('commissionable_volume')) return undefined
  const set_at = before && before.set_at >= now() ? new Date(before.set_at.getTime() + 1) : now()
  await db
    .insertInto('price_volume')
    .values({ id: randomUUID(), ...volumes, set_by, set_at })
    .execute()
  return { before }
}
