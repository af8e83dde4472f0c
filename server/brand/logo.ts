import type { World } from '#server/world/world.ts'

const LOGO_NAME = /^[0-9a-f]{32}\.(svg|png|jpg)$/
const types = { svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg' } as const
export const logoType = (name: string) => types[LOGO_NAME.exec(name)?.[1] as keyof typeof types] ?? types.svg

export async function findLogo({ db }: World, name: string): Promise<{ type: string; content: Buffer } | undefined> {
  if (!LOGO_NAME.test(name)) return undefined
  const row = await db.selectFrom('brand_logo').select('content').where('name', '=', name).executeTakeFirst()
  return row && { type: logoType(name), content: Buffer.from(row.content) }
}
