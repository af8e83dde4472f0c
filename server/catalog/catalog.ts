import { hash } from 'node:crypto'
import type { Input, LegalDocument, Package } from '#contract/api.ts'
import { messages } from '#contract/fields.ts'
import { figures } from '#contract/figures.ts'
import { isShownAtCheckout, subscriptionConsent } from '#contract/legal.ts'
import { toAmount } from '#contract/money.ts'
import { groupOf, groupOfList, type OrderList, orderLists, productIds } from '#contract/packages.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Details } from '#server/db/tables.ts'
import { refuseFields } from '#server/refusal.ts'

/** The packages of a category, in the operator's order. */
export async function findPackages(db: Db, category: Input<'getPackages'>): Promise<Package[]> {
  const { rows } = await selectPackages(db, category)
  return rows.map(({ price_cents, ...row }) => ({ ...row, price: toAmount(price_cents) }))
}

const selectPackages = statement((db, { product_category_id, language_id }: Input<'getPackages'>) =>
  db
    .selectFrom('package')
    .selectAll()
    .where('product_category_id', '=', product_category_id)
    .where('language_id', '=', language_id)
    .orderBy('position')
    .orderBy('product_id'),
)

/** The category that this site sells. */
export const ourCategory = { product_category_id: figures.product_category_id, language_id: figures.language_id }

/** The lines of an order at our own prices. An unknown product, or one in the wrong list, is refused on that list's field. */
export async function priceOrder(db: Db, order: Input<'sumOrder'>): Promise<Details['lines']> {
  const entries = orderLists.flatMap((list) => productIds(order[list]).map((product_id) => ({ list, product_id })))
  if (!entries.length) return []
  const ids = entries.map(({ product_id }) => product_id)
  const products = new Map((await selectProducts(db, { ids })).rows.map((row) => [row.product_id, row]))
  const problems: Partial<Record<OrderList, string>> = {}
  const lines: Details['lines'] = []
  for (const { list, product_id } of entries) {
    const product = products.get(product_id)
    if (lines.some((line) => line.list === list)) problems[list] = messages.chooseOne
    else if (!product || groupOf(product) !== groupOfList[list]) problems[list] = 'This package is not available.'
    else lines.push({ product_id, list, name: product.name, price_cents: product.price_cents })
  }
  if (Object.keys(problems).length) throw refuseFields(problems)
  return lines
}

const selectProducts = statement((db, { ids }: { ids: number[] }) =>
  db
    .selectFrom('package')
    .select(['product_id', 'name', 'price_cents', 'is_recurring', 'is_special'])
    .where('product_category_id', '=', ourCategory.product_category_id)
    .where('language_id', '=', ourCategory.language_id)
    .where('product_id', 'in', ids),
)

export const totalOf = (lines: Details['lines']): number => lines.reduce((sum, line) => sum + line.price_cents, 0)

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

/** The text behind the second checkbox at checkout. */
export const consent = {
  ...subscriptionConsent,
  sha256: hash('sha256', subscriptionConsent.text, 'hex'),
}

/** Called at startup, so that the text is stored before it can be accepted. */
export const storeConsentText = (db: Db) => storeText(db, consent.sha256, consent.text)

/** Texts are stored under their hash and never deleted: a member may have accepted them. */
export const storeText = (db: Db, sha256: string, content: string) =>
  db
    .insertInto('legal_text')
    .values({ sha256, content })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
