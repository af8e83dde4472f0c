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

type Visit = {
  /** The links that were opened before. */
  touches: Touch[]
  /** The site that we redirected from because it does not exist. */
  unknownSite: string | undefined
  /** The site that we redirected from because another sponsor gets the credit. */
  otherSite: string | undefined
  mayChoose: boolean
}

/** A redirect to the right sponsor, or the page with all data for its first screen. */
type Landing = { touches: Touch[] } & (
  | { redirectTo: string; isUnknown: boolean }
  | { title: string; start: StartData | FallbackStart }
)

/** What a visitor to a sponsor's site sees. */
export async function findLanding(world: World, site: string, visit: Visit): Promise<Landing> {
  const touches = addOpenedLink(visit.touches, site, world.now())
  try {
    const [row, packages] = await Promise.all([resolveSite(world, site), findPackages(world.db, ourCategory)])
    if (!row) return { redirectTo: MASTER, isUnknown: true, touches: visit.touches }
    if (row.site !== site) return { redirectTo: row.site, isUnknown: false, touches }
    const credited = await findCredit(world, touches, [row])
    if (row.active && credited && credited.site !== site)
      return { redirectTo: credited.site, isUnknown: false, touches }
    const sponsor = publicSponsor(row)
    const title = sponsor.site === MASTER ? `Join ${brand.name}` : `Join ${brand.name} with ${sponsor.name}`
    return { title, start: await startData(world, sponsor, packages, { ...visit, credited }), touches }
  } catch (error) {
    world.log.error({ err: error }, 'sending the page without its start data')
    return { title: `Join ${brand.name}`, start: { sponsor_site: site, ...withoutDatabase(world) }, touches }
  }
}

type CreditedVisit = Visit & { credited: CreditedSponsor | undefined }

async function startData(
  world: World,
  sponsor: Sponsor,
  packages: Package[],
  visit: CreditedVisit,
): Promise<StartData> {
  const starter = preselectedPackage(packages)
  return {
    sponsor,
    ...(visit.unknownSite ? { unknown_site: visit.unknownSite } : {}),
    ...(await otherSponsor(world, sponsor, visit)),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** The sponsor whose link the visitor opened before we redirected them here, if they may still choose that one. */
async function otherSponsor(world: World, sponsor: Sponsor, { otherSite, mayChoose, credited }: CreditedVisit) {
  const other = otherSite && mayChoose ? await findSponsor(world, otherSite) : undefined
  const isOffered = other?.active === 'Yes' && other.site !== MASTER && other.site !== sponsor.site
  if (!isOffered) return {}
  return {
    other_sponsor: { site: other.site, name: other.name },
    is_chosen: credited !== undefined && isChosen(credited),
  }
}

/** The part of the start data that needs no database. */
const withoutDatabase = ({ config, now, captcha }: World): Omit<FallbackStart, 'sponsor_site'> => ({
  renews_on: renewsOn(now()),
  policy: {
    start_step: config.START_STEP,
    autoship: config.AUTOSHIP,
    special: config.SPECIAL,
    phone_verification: config.PHONE_VERIFICATION,
  },
  site_hosts: config.SITE_HOSTS,
  test_payments: config.PAYMENT === 'sandbox',
  ...(captcha.vendor ? { captcha: captcha.vendor.widget } : {}),
})
