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

/** The packages on a shelf, in the operator's order. */
export async function findPackages(db: Db, shelf: Input<'getPackages'>): Promise<Package[]> {
  const { rows } = await packagesOn(db, shelf)
  return rows.map(({ price_cents, ...shown }) => ({ ...shown, price: toAmount(price_cents) }))
}

const packagesOn = statement((db, { product_category_id, language_id }: Input<'getPackages'>) =>
  db
    .selectFrom('package')
    .selectAll()
    .where('product_category_id', '=', product_category_id)
    .where('language_id', '=', language_id)
    .orderBy('position')
    .orderBy('product_id'),
)

/** The shelf that this site sells from. */
export const ourCategory = { product_category_id: figures.product_category_id, language_id: figures.language_id }

/** An order at our own prices. Unknown products, and products in the wrong list, are refused by the list's name. */
export async function priceOrder(db: Db, order: Input<'sumOrder'>): Promise<Details['lines']> {
  const asked = orderLists.flatMap((list) => productIds(order[list]).map((product_id) => ({ list, product_id })))
  if (!asked.length) return []
  const ids = asked.map(({ product_id }) => product_id)
  const shelf = new Map((await lookUp(db, { ids })).rows.map((row) => [row.product_id, row]))
  const refused: Partial<Record<OrderList, string>> = {}
  const lines: Details['lines'] = []
  for (const { list, product_id } of asked) {
    const found = shelf.get(product_id)
    if (lines.some((line) => line.list === list)) refused[list] = messages.chooseOne
    else if (!found || groupOf(found) !== groupOfList[list]) refused[list] = 'This package is not available.'
    else lines.push({ product_id, list, name: found.name, price_cents: found.price_cents })
  }
  if (Object.keys(refused).length) throw refuseFields(refused)
  return lines
}

export const totalOf = (lines: Details['lines']): number => lines.reduce((sum, line) => sum + line.price_cents, 0)

const lookUp = statement((db, { ids }: { ids: number[] }) =>
  db
    .selectFrom('package')
    .select(['product_id', 'name', 'price_cents', 'is_recurring', 'is_special'])
    .where('product_category_id', '=', ourCategory.product_category_id)
    .where('language_id', '=', ourCategory.language_id)
    .where('product_id', 'in', ids),
)

/** Every document with its text; the status says which are in force. */
export const findDocuments = (db: Db): Promise<LegalDocument[]> =>
  db
    .selectFrom('legal_document')
    .innerJoin('legal_text', 'legal_text.sha256', 'legal_document.sha256')
    .select(['id', 'title', 'content', 'status', 'display_on_checkout', 'version', 'legal_document.sha256'])
    .orderBy('id')
    .execute()

/** What the first checkbox stands for today: title, version and hash of each document of checkout. */
export async function checkoutDocuments(db: Db) {
  const { rows } = await documents(db, {})
  return rows.filter(isShownAtCheckout)
}

const documents = statement((db) =>
  db.selectFrom('legal_document').select(['title', 'version', 'sha256', 'status', 'display_on_checkout']).orderBy('id'),
)

/** What the second checkbox stands for. */
export const consent = {
  ...subscriptionConsent,
  sha256: hash('sha256', subscriptionConsent.text, 'hex'),
}

/** Its text lies with the others before anybody can accept it. */
export const storeConsentText = (db: Db) => storeText(db, consent.sha256, consent.text)

/** Kept for good under its own hash: somebody may have accepted it. */
export const storeText = (db: Db, sha256: string, content: string) =>
  db
    .insertInto('legal_text')
    .values({ sha256, content })
    .onConflict((clash) => clash.doNothing())
    .execute()
