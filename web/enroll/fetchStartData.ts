import { figures } from '#contract/figures.ts'
import { MASTER } from '#contract/site.ts'
import { type FallbackStart, preselectedPackage, type StartData } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { Unreachable } from '#web/network.ts'
import { orderOf } from './wizard/draft.ts'

const pauses = [1000, 2000, 4000]

/** The start data of a page that was served without any: from the calls, with some patience. */
export async function askStart(bare: FallbackStart): Promise<StartData> {
  for (const pause of pauses) {
    try {
      return await ask(bare)
    } catch (cause) {
      if (cause instanceof Unreachable && !navigator.onLine) throw cause
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return ask(bare)
}

async function ask({ sponsor_site, ...known }: FallbackStart): Promise<StartData> {
  const { product_category_id, language_id } = figures
  const [sponsor, packages] = await Promise.all([
    api.getSponsor({ sponsor_site }),
    api.getPackages({ product_category_id, language_id }),
  ])
  const isLost = sponsor.site === MASTER && sponsor_site !== MASTER
  if (isLost)
    history.replaceState(null, '', `/${MASTER}`) // without leaving, to be able to name the lost word
  else if (sponsor.site !== sponsor_site) return leaveFor(sponsor.site)
  const starter = preselectedPackage(packages)
  const { grand_total } = await api.sumOrder(orderOf(starter ? { product_ids: String(starter.product_id) } : {}))
  return {
    ...known,
    sponsor,
    ...(isLost ? { unknown_site: sponsor_site } : {}),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total,
  }
}

/** Never answers: the page that comes instead does. */
function leaveFor(site: string): Promise<never> {
  location.replace(`/${site}`)
  return new Promise(() => undefined)
}
