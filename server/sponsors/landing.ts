import type { Package, Sponsor } from '#contract/api.ts'
import { brand } from '#contract/brand.ts'
import { toAmount } from '#contract/money.ts'
import { renewsOn } from '#contract/renewal.ts'
import { MASTER } from '#contract/site.ts'
import { type FallbackStart, preselectedPackage, type StartData } from '#contract/start.ts'
import { findPackages, ourCategory } from '#server/catalog/catalog.ts'
import type { World } from '#server/world.ts'
import { addOpenedLink, type CreditedSponsor, findCredit, isChosen } from './credit.ts'
import { findSponsor, publicSponsor, resolveSite } from './sponsors.ts'
import type { Touch } from './touches.ts'

/** What a visitor of a site gets: the way to the right one, or the page with all that it needs before any call. */
type Landing = { touches: Touch[] } & (
  | { leadsTo: string; isLost: boolean }
  | { title: string; start: StartData | FallbackStart }
)

/** What brought the visitor here: links opened before, and the word that led nowhere or to somebody else a moment ago. */
type Way = { touches: Touch[]; lost: string | undefined; other: string | undefined; mayChoose: boolean }
type Led = Way & { credited: CreditedSponsor | undefined }

export async function findLanding(world: World, site: string, way: Way): Promise<Landing> {
  const touches = addOpenedLink(way.touches, site, world.now())
  try {
    const [found, packages] = await Promise.all([resolveSite(world, site), findPackages(world.db, ourCategory)]) // most stay here
    if (!found) return { leadsTo: MASTER, isLost: true, touches: way.touches } // nobody's word is nobody's link
    if (found.site !== site) return { leadsTo: found.site, isLost: false, touches }
    const credited = await findCredit(world, touches, [found])
    if (found.active && credited && credited.site !== site) return { leadsTo: credited.site, isLost: false, touches }
    const sponsor = publicSponsor(found)
    const title = sponsor.site === MASTER ? `Join ${brand.name}` : `Join ${brand.name} with ${sponsor.name}`
    return { title, start: await startData(world, sponsor, packages, { ...way, credited }), touches }
  } catch (error) {
    world.log.error({ err: error }, 'a page goes out without its start data')
    return { title: `Join ${brand.name}`, start: { sponsor_site: site, ...withoutDatabase(world) }, touches }
  }
}

/** Whose link the visitor opened when they were led here instead, if they may still choose. */
async function otherSponsor(world: World, sponsor: Sponsor, { other, mayChoose, credited }: Led) {
  const found = other && mayChoose ? await findSponsor(world, other) : undefined
  const isOffered = found?.active === 'Yes' && found.site !== MASTER && found.site !== sponsor.site
  if (!isOffered) return {}
  return {
    other_sponsor: { site: found.site, name: found.name },
    is_chosen: credited !== undefined && isChosen(credited),
  }
}

async function startData(world: World, sponsor: Sponsor, packages: Package[], way: Led): Promise<StartData> {
  const starter = preselectedPackage(packages)
  return {
    sponsor,
    ...(way.lost ? { unknown_site: way.lost } : {}),
    ...(await otherSponsor(world, sponsor, way)),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** What we know without asking the database. */
const withoutDatabase = ({ config, now, captcha }: World): Omit<FallbackStart, 'sponsor_site'> => ({
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
