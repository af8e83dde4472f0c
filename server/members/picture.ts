import { hash } from 'node:crypto'
import { checkJpeg, type PictureShape } from '#server/brand/jpeg.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { requireDisplayedMember } from './session.ts'

/** Where pictures are served. 'assets' is a reserved word, so it is nobody's site. */
export const PICTURES = '/assets/pictures'

type NewPicture = { username: string; picture: string }

/** Stores the pixels of a picture, and nothing else that was in the file, and shows it on the member's page. */
export async function changePicture(world: World, { picture, ...displayed }: NewPicture, visitor: MemberBrowser) {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  const content = pixelsOf(picture)
  await inTransaction(world.db, (db) => storePicture(db, id, content))
  return id
}

/** The pixels of a JPEG in base64, and nothing else that was in the file. */
export function pixelsOf(picture: string, shape?: PictureShape): Buffer {
  const checked = checkJpeg(Buffer.from(picture, 'base64'), shape)
  if ('problem' in checked) throw refuseField('picture', checked.problem)
  return checked.bytes
}

/** Stands for these bytes of this owner and no others. */
export const pictureName = (owner: string, content: Buffer): string =>
  `${hash('sha256', Buffer.concat([Buffer.from(owner), content]), 'hex').slice(0, 32)}.jpg`

export async function storePicture(db: Db, member_id: string, content: Buffer) {
  const name = pictureName(member_id, content)
  await db.selectFrom('member').select('id').where('id', '=', member_id).forUpdate().execute()
  await db
    .insertInto('picture')
    .values({ name, member_id, content })
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet({ name, content }))
    .execute()
  await showPicture(db, member_id, `${PICTURES}/${name}`)
}

export async function removePicture(world: World, displayed: { username: string }, visitor: MemberBrowser) {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await inTransaction(world.db, (db) => deletePicture(db, id))
  return id
}

export async function deletePicture(db: Db, member_id: string) {
  await showPicture(db, member_id, null)
  await db.deleteFrom('picture').where('member_id', '=', member_id).execute()
}

const showPicture = (db: Db, member_id: string, picture_url: string | null) =>
  db.updateTable('sponsor').set({ picture_url }).where('member_id', '=', member_id).execute()

const PICTURE_NAME = /^[0-9a-f]{32}\.jpg$/

export async function findPicture({ db }: World, name: string): Promise<Buffer | undefined> {
  if (!PICTURE_NAME.test(name)) return undefined
  const picture =
    (await db.selectFrom('picture').select('content').where('name', '=', name).executeTakeFirst()) ??
    (await db.selectFrom('catalog_picture').select('content').where('name', '=', name).executeTakeFirst())
  return picture && Buffer.from(picture.content)
}
