import { figures } from '#contract/figures.ts'
import { MASTER } from '#contract/site.ts'
import { type FallbackStart, preselectedPackage, type StartData } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { Unreachable } from '#web/network.ts'
import { fetchPackages } from './order/fetchTotal.ts'
import { orderOf, preselectedOrder } from './order/order.ts'

const RETRY_PAUSES_MS = [1000, 2000, 4000]

/** The start data of a page that was served without it, because the database did not answer. */
export async function fetchStartData(fallback: FallbackStart): Promise<StartData> {
  for (const pause of RETRY_PAUSES_MS) {
    try {
      return await fetchOnce(fallback)
    } catch (cause) {
      if (cause instanceof Unreachable && !navigator.onLine) throw cause
      if (cause instanceof RejectedCall && cause.retryAfterSeconds) throw cause // it has been waited for
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return fetchOnce(fallback)
}

async function fetchOnce({ sponsor_site, ...rest }: FallbackStart): Promise<StartData> {
  const { catalog = figures } = rest.policy
  const [sponsor, packages] = await Promise.all([api.getSponsor({ sponsor_site }), fetchPackages(rest.policy)])
  const isUnknown = sponsor.site === MASTER && sponsor_site !== MASTER
  if (isUnknown)
    history.replaceState(null, '', `/${MASTER}`) // without a redirect, so that the page can name the unknown link
  else if (sponsor.site !== sponsor_site) return redirectTo(sponsor.site)
  const starter = preselectedPackage(packages, catalog)
  const preselection = starter ? { product_id: starter.product_id } : {}
  const { grand_total } = await api.sumOrder(orderOf(preselectedOrder(preselection)))
  return {
    ...rest,
    ...preselection,
    ...(isUnknown ? { unknown_site: sponsor_site } : {}),
    sponsor,
    packages,
    grand_total,
  }
}

/** Never resolves: the other page replaces this one. */
function redirectTo(site: string): Promise<never> {
  location.replace(`/${site}`)
  return new Promise(() => undefined)
}
