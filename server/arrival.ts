import { brand } from '#contract/brand.ts'
import { limits, MASTER } from '#contract/limits.ts'
import { toAmount } from '#contract/money.ts'
import { groupOf } from '#contract/packages.ts'
import { renewsOn } from '#contract/renewal.ts'
import type { BareStart, StartData } from '#contract/start.ts'
import { findPackages, ourShelf } from './catalog.ts'
import { creditOf } from './credit.ts'
import { findSponsor } from './sponsors.ts'
import type { Touch } from './touches.ts'
import type { World } from './world.ts'

/** What a visitor of a site gets: the way to the right one, or the page with all that it needs before any call. */
export type Arrival = { leadsTo: string; isLost: boolean } | { title: string; start: StartData | BareStart }

/** `lostBefore`: the word of a link that led nowhere and brought the visitor here. `touches`: all links, this one included. */
export async function arrive(
  world: World,
  site: string,
  { lostBefore, touches }: { lostBefore: string | undefined; touches: Touch[] },
): Promise<Arrival> {
  try {
    const sponsor = await findSponsor(world, site)
    if (sponsor.site !== site) return { leadsTo: sponsor.site, isLost: sponsor.site === MASTER }
    const { credited, other } = await creditOf(world, touches)
    if (sponsor.active === 'Yes' && credited && credited.site !== site) return { leadsTo: credited.site, isLost: false }
    const title = sponsor.site === MASTER ? `Join ${brand.name}` : `Join ${brand.name} with ${sponsor.name}`
    return { title, start: await startData(world, sponsor, lostBefore, other) }
  } catch (error) {
    world.log.error({ err: error }, 'a page goes out without its start data')
    return { title: `Join ${brand.name}`, start: { sponsor_site: site, ...withoutDatabase(world) } }
  }
}

async function startData(
  world: World,
  sponsor: StartData['sponsor'],
  lostBefore: string | undefined,
  other: StartData['other_sponsor'],
): Promise<StartData> {
  const packages = await findPackages(world.db, ourShelf)
  const starter = packages.find(
    (found) => found.product_id === limits.starter_product_id && groupOf(found) === 'starter',
  )
  return {
    sponsor,
    ...(lostBefore ? { unknown_site: lostBefore } : {}),
    ...(other ? { other_sponsor: { site: other.site, name: other.name } } : {}),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** What we know without asking the database. */
const withoutDatabase = ({ config, now, captcha }: World): Omit<BareStart, 'sponsor_site'> => ({
  renews_on: renewsOn(now()),
  policy: {
    start_step: config.START_STEP,
    autoship: config.AUTOSHIP,
    special: config.SPECIAL,
    phone_verification: config.PHONE_VERIFICATION,
  },
  test_payments: config.PAYMENT === 'sandbox',
  ...(captcha.vendor ? { captcha: captcha.vendor.widget } : {}),
})
