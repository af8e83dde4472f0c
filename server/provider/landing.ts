import type { Sponsor } from '#contract/api.ts'
import { toAmount } from '#contract/money.ts'
import { MASTER } from '#contract/site.ts'
import { preselectedPackage, type StartData } from '#contract/start.ts'
import { addOpenedLink } from '#server/sponsors/credit.ts'
import {
  catalogOf,
  fallbackLanding,
  type Landing,
  titleOf,
  type Visit,
  withoutDatabase,
} from '#server/sponsors/landing.ts'
import type { Touch } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'
import type { HostSponsor } from './answers.ts'
import { type Catalog, HostAway } from './catalog.ts'
import { withOurPicture } from './pictures.ts'

/** How long a page waits for the host's first answer. After that its script asks. */
const PATIENCE_MS = 3_000

/** What a visitor to a sponsor's site sees, from the host's answers. */
export async function findLanding(world: World, catalog: Catalog, site: string, visit: Visit): Promise<Landing> {
  const touches = addOpenedLink(visit.touches, site, world.now())
  try {
    const [sponsor, packages] = await inTime(Promise.all([catalog.sponsor(site), catalog.packages()]))
    const isUnknown = !sponsor || (sponsor.site === MASTER && site !== MASTER)
    if (isUnknown && site !== MASTER) return { redirectTo: MASTER, isUnknown: true, touches: visit.touches }
    if (!sponsor) throw new HostAway('The API host has no master site.')
    if (sponsor.site !== site) return { redirectTo: sponsor.site, isUnknown: false, touches }
    const shown = publicSponsor(world, sponsor)
    const start = startData(world, catalog, { ...visit, touches }, shown, packages.map(withOurPicture))
    return { title: titleOf(shown, visit), start, touches }
  } catch (error) {
    if (!(error instanceof HostAway)) world.log.error({ err: error }, 'sending the page without its start data')
    return { ...fallbackLanding(world, site), touches }
  }
}

/** An unknown site is the master site. */
export async function sponsorOrMaster(catalog: Catalog, site: string): Promise<HostSponsor> {
  const sponsor = (await catalog.sponsor(site)) ?? (await catalog.sponsor(MASTER))
  if (!sponsor) throw new HostAway('The API host has no master site.')
  return sponsor
}

/** Sponsors have no name in the specification. The master site is the operator's. */
export const publicSponsor = ({ config }: Pick<World, 'config'>, { site, active, name }: HostSponsor): Sponsor => ({
  site,
  active: active ? 'Yes' : 'No',
  name: site === MASTER && name === MASTER ? config.operator.name : name,
})

function startData(
  world: World,
  catalog: Catalog,
  { unknownSite, joined_as, isPaying, touches }: Visit,
  sponsor: Sponsor,
  packages: StartData['packages'],
): StartData {
  const starter = preselectedPackage(packages, catalogOf(world.config))
  const earlier = isPaying ? undefined : findEarlierSponsor(catalog, touches, sponsor.site)
  return {
    sponsor,
    ...(unknownSite ? { unknown_site: unknownSite } : {}),
    ...(earlier ? { earlier_sponsor: { site: earlier.site, name: earlier.name } } : {}),
    ...(joined_as ? { joined_as } : {}),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** The active sponsor whose link was opened first, as far as this process knows the sponsors. */
function findEarlierSponsor(catalog: Catalog, touches: readonly Touch[], current: string): HostSponsor | undefined {
  const first = touches.find(({ site }) => site !== MASTER && (site === current || catalog.lastSponsor(site)?.active))
  const sponsor = first && first.site !== current ? catalog.lastSponsor(first.site) : undefined
  return sponsor?.site === current ? undefined : sponsor
}

const inTime = <Value>(work: Promise<Value>): Promise<Value> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new HostAway('The API host does not answer in time.')), PATIENCE_MS).unref()
    }),
  ])
