import type * as z from 'zod/mini'
import type { Staff } from '#contract/console/access.ts'
import type { consolePackageCalls } from '#contract/console/packages.ts'
import { toCents } from '#contract/money.ts'
import { setVolumes } from '#server/catalog/volumes.ts'
import { refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { actOnPackage } from './packages.ts'
import { shownVolumes } from './volumes.ts'

type Input = z.infer<(typeof consolePackageCalls)['setVolumes']['input']>

/** For what is paid from now on. An earlier month keeps what it was made with. */
export const changeVolumes = (world: World, { product_id, occasion, price, ...input }: Input, staff: Staff) =>
  actOnPackage(world, staff, 'set_volumes', product_id, async (db, row) => {
    if (occasion === 'renewal' && row.billing_interval === 'once')
      throw refuseFields({ occasion: 'This package is paid once, so it never renews.' })
    const volumes = {
      business_volume: toCents(input.business_volume) ?? 0,
      commissionable_volume: toCents(input.commissionable_volume) ?? 0,
    }
    const price_cents = toCents(price) ?? 0
    const set = await setVolumes(
      { ...world, db },
      { product_id, occasion, price_cents, ...volumes, set_by: staff.email },
    )
    if (!set) throw refuseFields({ business_volume: 'Nothing to change: these are already the volumes.' })
    return {
      ...(set.before ? { before: shownVolumes(set.before) } : {}),
      after: { occasion, price, ...shownVolumes(volumes) },
    }
  })
