import type { LegalDocument, Package } from '#contract/api.ts'
import { groupOf, groupOfList, type OrderList, orderLists } from '#contract/packages.ts'
import { ourCategory } from '#server/catalog/catalog.ts'
import type { World } from '#server/world/world.ts'
import type { HostPackage, HostSponsor } from './answers.ts'
import type { Answer, Ask } from './calls.ts'
import { remember } from './remembered.ts'

/** What the host has told us about sponsors, packages, prices and documents. */

export type Catalog = ReturnType<typeof openCatalog>

/** The host doesn't answer, and we have no earlier answer. */
export class HostAway extends Error {}

const MAX_SITES = 1_000
const MAX_ORDERS = 500

export type Order = Record<OrderList, string>
export const orderOf = (order: Order): Order =>
  Object.fromEntries(orderLists.map((list) => [list, order[list]])) as Order

export function openCatalog(world: Pick<World, 'config' | 'now'>, ask: Ask) {
  const sponsors = remember(world, MAX_SITES, (site) => readSponsor(ask, site))
  const category = Object.fromEntries(Object.entries(ourCategory(world.config)).map(([name, id]) => [name, String(id)]))
  const totals = remember(world, MAX_ORDERS, async (order) => usable(await ask('total', JSON.parse(order))))
  const documents = remember(world, 1, () => readDocuments(ask))
  const totalOf = (order: Order) => totals.get(JSON.stringify(orderOf(order)))
  const packages = remember(world, 1, async () => {
    const listed = usable(await ask('packages', category))
    return priced(listed.filter(isOffered(world)), totalOf)
  })
  return {
    sponsor: sponsors.get,
    packages: () => packages.get(),
    documents: () => documents.get(),
    totalOf,
    /** Sites and pictures that the host has named. */
    lastSponsor: sponsors.last,
    lastPackages: () => packages.last() ?? [],
  }
}

function usable<Value>(answer: Answer<Value>): Value {
  if (answer.is === 'answer') return answer.value
  throw new HostAway('The API host gave no usable answer.')
}

/** An unknown site leads to the master site, however the host reports it. */
async function readSponsor(ask: Ask, site: string): Promise<HostSponsor | undefined> {
  const answer = await ask('sponsor', { sponsor_site: site })
  if (answer.is === 'refused' && answer.message) return undefined
  return usable(answer)
}

async function readDocuments(ask: Ask): Promise<LegalDocument[]> {
  const [{ cleanText, hashText }, listed] = await Promise.all([
    import('#server/catalog/document-text.ts'), // needed only here
    ask('documents').then(usable),
  ])
  return listed.map((document) => {
    const content = cleanText(document.content)
    const sha256 = hashText(`${document.title}\n${content}`)
    return { ...document, content, sha256, version: Number.parseInt(sha256.slice(0, 6), 16) }
  })
}

/** Packages of a step that is switched off are not priced. */
const isOffered =
  ({ config }: Pick<World, 'config'>) =>
  (offer: HostPackage): boolean =>
    ({ starter: true, subscription: config.AUTOSHIP, special: config.SPECIAL })[groupOf(offer)]

const listOf = (offer: HostPackage): OrderList =>
  orderLists.find((list) => groupOfList[list] === groupOf(offer)) ?? 'product_ids'

/** A package's price is the total of an order for it alone. Without one it can't be offered. */
async function priced(listed: HostPackage[], totalOf: (order: Order) => Promise<string>): Promise<HostOffer[]> {
  const offers = await Promise.all(
    listed.map(async (offer): Promise<HostOffer[]> => {
      const order = { product_ids: '', autoship_product_ids: '', special_product_ids: '' }
      const price = await totalOf({ ...order, [listOf(offer)]: String(offer.product_id) }).catch(() => undefined)
      return price === undefined ? [] : [{ ...offer, price, billing_interval: 'unknown', ships: false }]
    }),
  )
  if (listed.length && !offers.flat().length) throw new HostAway('The API host names no price.')
  return offers.flat()
}
/** `image_url` is still the host's. */
export type HostOffer = Package
