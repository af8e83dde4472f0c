import { isDeepStrictEqual } from 'node:util'
import type { Package } from '#contract/api.ts'
import { figures } from '#contract/figures.ts'
import { toAmount } from '#contract/money.ts'
import { periodStart } from '#contract/renewal.ts'
import { MASTER } from '#contract/site.ts'
import { type FallbackStart, preselectedPackage, type StartData } from '#contract/start.ts'
import { findPackages, ourCategory } from '#server/catalog/catalog.ts'
import { ownOffice } from '#server/config/operator.ts'
import { isDatabaseAway } from '#server/db/away.ts'
import { withoutWaiting } from '#server/db/outage.ts'
import { captchaOf } from '#server/gateways/captcha/port.ts'
import { codePolicy } from '#server/phone/countries.ts'
import { lastKnown } from '#server/world/last-known.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { addOpenedLink, findEarlierSponsor } from './credit.ts'
import { publicSponsor, type SponsorRow, shownSite } from './sponsors.ts'
import type { Touch } from './touches.ts'

export type Visit = {
  /** The links that were opened before. */
  touches: Touch[]
  /** The site that we redirected from because it does not exist. */
  unknownSite: string | undefined
  /** A payment is under way or done: it is too late for another sponsor. */
  isPaying: boolean
  /** The username of someone who has joined in this browser. */
  joined_as: string | undefined
}

/** A redirect to the sponsor's current site, or the page with all data for its first screen. */
export type Landing = { touches: Touch[] } & (
  | { redirectTo: string; isUnknown: boolean }
  | { title: (name: string) => string; start: StartData | FallbackStart }
)

/** What a visitor to a sponsor's site sees. */
export async function findLanding(world: World, site: string, visit: Visit): Promise<Landing> {
  const touches = addOpenedLink(visit.touches, site, world.now())
  try {
    const [row, packages] = await Promise.all([shownSite(world, site), shownPackages(world, ourCategory(world.config))])
    if (!row) return { redirectTo: MASTER, isUnknown: true, touches: visit.touches }
    if (row.site !== site) return { redirectTo: row.site, isUnknown: false, touches }
    return { title: titleOf(row, visit), start: await startData(world, row, packages, { ...visit, touches }), touches }
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    world.log.error({ err: error }, 'sending the page without its start data')
    return { ...fallbackLanding(world, site), touches }
  }
}

/** The page without its start data: its script asks for it. */
export const fallbackLanding = (world: World, site: string) => ({
  title: (name: string) => `Join ${name}`,
  start: { sponsor_site: site, ...withoutDatabase(world) },
})

export const titleOf =
  ({ site, name }: Pick<SponsorRow, 'site' | 'name'>, { joined_as }: Pick<Visit, 'joined_as'>) =>
  (brand: string) => {
    if (joined_as) return `You joined as ${joined_as} · ${brand}`
    return site === MASTER ? `Join ${brand}` : `Join ${brand} with ${name}`
  }

async function startData(world: World, sponsor: SponsorRow, packages: Package[], visit: Visit): Promise<StartData> {
  const { unknownSite, joined_as, isPaying, touches } = visit
  const starter = preselectedPackage(packages, catalogOf(world.config))
  const earlier = isPaying
    ? undefined
    : await withoutWaiting(() => findEarlierSponsor(world, touches, sponsor)).catch(noneWhileAway)
  return {
    sponsor: publicSponsor(sponsor),
    ...(unknownSite ? { unknown_site: unknownSite } : {}),
    ...(earlier ? { earlier_sponsor: { site: earlier.site, name: earlier.name } } : {}),
    ...(joined_as ? { joined_as } : {}),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** The page can do without it. */
function noneWhileAway(error: unknown): undefined {
  if (!isDatabaseAway(error)) throw error
}

const knownPackages = lastKnown<Package[]>(1)

/** The packages that this site sells, for pages. An order has its prices from the database. */
export const shownPackages = (world: World, category: ReturnType<typeof ourCategory>) =>
  isDeepStrictEqual(category, ourCategory(world.config))
    ? knownPackages(world, '', () => findPackages(world.db, category))
    : findPackages(world.db, category)

/** The part of the start data that needs no database. */
export const withoutDatabase = ({ config, now, captcha }: World): Omit<FallbackStart, 'sponsor_site'> => ({
  ...datesOf({ config, now }),
  policy: {
    start_step: config.START_STEP,
    autoship: config.AUTOSHIP,
    special: config.SPECIAL,
    phone_verification: config.PHONE_VERIFICATION,
    ...codePolicy(config),
    ...(config.COMMON_PASSWORDS === 'allow' ? { common_passwords: 'allow' } : {}),
    ...(isSpecCatalog(config) ? {} : { catalog: catalogOf(config) }),
    ...(config.ACCESS_SECONDS === figures.access_seconds ? {} : { access_seconds: config.ACCESS_SECONDS }),
    ...(config.PROVIDER_API_URL ? { provider: true, ...officeUrlOf(config) } : {}),
  },
  site_hosts: config.SITE_HOSTS,
  test_payments: config.PAYMENT === 'sandbox' && !config.PROVIDER_API_URL,
  ...captchaOf(captcha),
})

const officeUrlOf = (config: World['config']) => {
  const office_url = ownOffice(config)
  return office_url ? { office_url } : {}
}

type CatalogSettings = Pick<World['config'], 'PACKAGE_CATEGORY' | 'LANGUAGE_ID' | 'PRESELECTED_PACKAGE'>

/** The category and language that this site sells, and the package that is preselected. */
export const catalogOf = (config: CatalogSettings) => ({
  ...ourCategory(config),
  starter_product_id: config.PRESELECTED_PACKAGE,
})

const isSpecCatalog = (config: CatalogSettings) =>
  Object.entries(catalogOf(config)).every(([name, id]) => figures[name as keyof typeof figures] === id)

function datesOf(world: Pick<World, 'config' | 'now'>) {
  const today = todayOf(world)
  const renews_on = { month: periodStart(today, 1), year: periodStart(today, 1, 'year') }
  return { today, time_zone: world.config.TIME_ZONE, renews_on }
}
