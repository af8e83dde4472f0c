import type { Db } from '#server/db/db.ts'
import { PICTURES, pictureName } from '#server/members/picture.ts'

/** Stores a picture of the catalog in the database, where every process finds it, and returns its address. */
export async function storeCatalogPicture(db: Db, owner: string, content: Buffer): Promise<string> {
  const name = pictureName(owner, content)
  await db
    .insertInto('catalog_picture')
    .values({ name, content })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return `${PICTURES}/${name}`
}

/** Deletes a picture that nothing shows any more. One that came with the site is a file and stays. */
export async function dropCatalogPicture(db: Db, url: string | null): Promise<void> {
  if (!url?.startsWith(`${PICTURES}/`)) return
  await db
    .deleteFrom('catalog_picture')
    .where('name', '=', url.slice(PICTURES.length + 1))
    .execute()
}
