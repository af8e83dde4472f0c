import type { PackagePage } from '#contract/console/packages.ts'
import { toAmount } from '#contract/money.ts'
import { newestVolumes, type VolumeRow, type Volumes } from '#server/catalog/volumes.ts'
import type { Tables } from '#server/db/tables.ts'

type Prices = Pick<Tables['package'], 'price_cents' | 'renewal_cents'>

/** The prices of today first, with or without volumes, then earlier ones that have some. */
export function listVolumes(row: Prices, rows: VolumeRow[]): PackagePage['volumes'] {
  const newest = newestVolumes(rows)
  const current = [
    { occasion: 'joining' as const, price_cents: row.price_cents },
    ...(row.renewal_cents ? [{ occasion: 'renewal' as const, price_cents: row.renewal_cents }] : []),
  ]
  const isSame = (a: (typeof current)[number], b: (typeof current)[number]) =>
    a.occasion === b.occasion && a.price_cents === b.price_cents
  const earlier = newest.filter((volume) => !current.some((price) => isSame(price, volume)))
  return [...current, ...earlier].map((price, index) => {
    const found = newest.find((volume) => isSame(price, volume))
    return {
      occasion: price.occasion,
      price: toAmount(price.price_cents),
      is_current: index < current.length,
      ...(found ? { ...shownVolumes(found), set_by: found.set_by, set_at: found.set_at.toISOString() } : {}),
    }
  })
}

export const shownVolumes = ({ business_volume, commissionable_volume }: Volumes) => ({
  business_volume: toAmount(business_volume),
  commissionable_volume: toAmount(commissionable_volume),
})
