import { hash } from 'node:crypto'
import type { Input, LegalDocument, Package } from '#contract/api.ts'
import { messages } from '#contract/fields.ts'
import { CONSENT_TITLE, consentText, isShownAtCheckout } from '#contract/legal.ts'
import { toAmount } from '#contract/money.ts'
import {
  canRenewTogether,
  groupOf,
  groupOfList,
  intervalOf,
  type OrderList,
  orderLists,
  productIds,
  SINGLE_LIST,
} from '#contract/packages.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { Settings } from '#server/config/settings.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Details } from '#server/db/tables.ts'
import { refuseFields } from '#server/refusal.ts'

/** The packages of a category, in the operator's order. */
export async function findPackages(db: Db, category: Input<'getPackages'>): Promise<Package[]> {
  const { rows } = await selectPackages(db, category)
  return rows.map(({ price_cents, renewal_cents, ...row }) => ({
    ...row,
    price: toAmount(price_cents),
    ...(renewal_cents ? { renewal_price: toAmount(renewal_cents) } : {}),
  }))
}

const selectPackages = statement((db, { product_category_id, language_id }: Input<'getPackages'>) =>
  db
    .selectFrom('package')
    .select(['product_id', 'product_category_id', 'language_id', 'name', 'description', 'image_url', 'price_cents'])
    .select(['renewal_cents', 'billing_interval', 'is_recurring', 'is_special', 'ships', 'position'])
    .where('product_category_id', '=', product_category_id)
    .where('language_id', '=', language_id)
    .where('withdrawn_at', 'is', null)
    .orderBy('position')
    .orderBy('product_id'),
)

/** The category that this site sells. */
export const ourCategory = ({ PACKAGE_CATEGORY, LANGUAGE_ID }: Pick<Settings, 'PACKAGE_CATEGORY' | 'LANGUAGE_ID'>) => ({
  product_category_id: PACKAGE_CATEGORY,
  language_id: LANGUAGE_ID,
})

type Shop = { db: Db; config: Pick<Settings, 'PACKAGE_CATEGORY' | 'LANGUAGE_ID' | 'AUTOSHIP' | 'SPECIAL'> }

/** Whether the step of a list is switched on. */
const isOffered: Record<OrderList, (config: Shop['config']) => boolean> = {
  product_ids: () => true,
  autoship_product_ids: ({ AUTOSHIP }) => AUTOSHIP,
  special_product_ids: ({ SPECIAL }) => SPECIAL,
}

/**
 * The lines of an order at our own prices. A product that is unknown, in the wrong list, there twice, or of a step that is
 * switched off is refused on that list's field.
 */
export async function priceOrder({ db, config }: Shop, order: Input<'sumOrder'>): Promise<Details['lines']> {
  const entries = orderLists.flatMap((list) => productIds(order[list]).map((product_id) => ({ list, product_id })))
  if (!entries.length) return []
  const ids = entries.map(({ product_id }) => product_id)
  const products = new Map(
    (await selectProducts(db, { ids, ...ourCategory(config) })).rows.map((row) => [row.product_id, row]),
  )
  const problems: Partial<Record<OrderList, string>> = {}
  const lines: Details['lines'] = []
  for (const { list, product_id } of entries) {
    const product = products.get(product_id)
    if (list === SINGLE_LIST && lines.some((line) => line.list === list)) problems[list] = messages.chooseOne
    else if (lines.some((line) => line.product_id === product_id)) problems[list] ??= messages.chooseOnce
    else if (!product || groupOf(product) !== groupOfList[list] || !isOffered[list](config))
      problems[list] = 'This package is not available.'
    else if (!canRenewTogether([...lines, product]))
      problems[list] = 'This package cannot be added: it does not renew as often as the other one.'
    else {
      const { name, price_cents, renewal_cents, billing_interval } = product
      lines.push({ product_id, list, name, price_cents, renewal_cents, billing_interval })
    }
  }
  if (Object.keys(problems).length) throw refuseFields(problems)
  return lines
}

const selectProducts = statement((db, { ids, ...category }: Input<'getPackages'> & { ids: number[] }) =>
  db
    .selectFrom('package')
    .select(['product_id', 'name', 'price_cents', 'renewal_cents', 'billing_interval', 'is_recurring'])
    .select('is_special')
    .where('product_category_id', '=', category.product_category_id)
    .where('language_id', '=', category.language_id)
    .where('product_id', 'in', ids)
    .where('withdrawn_at', 'is', null),
)

export const totalOf = (lines: readonly { price_cents: number }[]): number =>
  lines.reduce((sum, line) => sum + line.price_cents, 0)

/** Every document with its text; its status says whether it is in force. */
export const findDocuments = (db: Db): Promise<LegalDocument[]> =>
  db
    .selectFrom('legal_document')
    .innerJoin('legal_text', 'legal_text.sha256', 'legal_document.sha256')
    .select(['id', 'title', 'content', 'status', 'display_on_checkout', 'version', 'legal_document.sha256'])
    .orderBy('id')
    .execute()

/** The documents behind the first checkbox at checkout: title, version and hash of each. */
export async function checkoutDocuments(db: Db) {
  const { rows } = await selectDocuments(db, {})
  return rows.filter(isShownAtCheckout)
}

const selectDocuments = statement((db) =>
  db.selectFrom('legal_document').select(['title', 'version', 'sha256', 'status', 'display_on_checkout']).orderBy('id'),
)

/** The text behind the second checkbox for this order. Its version is part of its hash: another text has another version. */
export function consentFor(lines: readonly ConsentLine[]) {
  const content = consentText(toAmount(totalOf(lines)), toAmount(renewalTotal(lines)), intervalOf(lines))
  const sha256 = hash('sha256', content, 'hex')
  return { title: CONSENT_TITLE, version: Number.parseInt(sha256.slice(0, 6), 16), sha256, content }
}

type ConsentLine = { price_cents: number; renewal_cents: number; billing_interval: string }

/** Texts are stored under their hash and never deleted: a member may have accepted them. */
export const storeText = (db: Db, sha256: string, content: string) =>
  db
    .insertInto('legal_text')
    .values({ sha256, content })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
