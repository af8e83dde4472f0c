import { brandCss, brand as builtIn, type PageBrand, theme } from '#contract/brand.ts'
import { type Palette, paletteOf } from '#contract/brand-colors.ts'
import type { Operator } from '#contract/receipts.ts'
import { linkTo } from '#server/config/operator.ts'
import type { Tables } from '#server/db/tables.ts'
import { sharedValue } from '#server/world/shared-value.ts'
import type { World } from '#server/world/world.ts'

/** The brand as pages, emails and messages use it. */
export type SiteBrand = Palette & {
  page: PageBrand
  /** Custom properties that differ from the built-in theme; '' if none does. */
  css: string
  support: string | undefined
  email_footer: string | undefined
}

/** Where uploaded logos are served. 'assets' is a reserved word, so it is nobody's site. */
export const LOGOS = '/assets/brand'

export type BrandColumns = Partial<Omit<Tables['brand'], 'id' | 'updated_at'>>

/** What is not set stays as it is built in. */
export function siteBrandOf(columns: BrandColumns): SiteBrand {
  const { name, accent, radius, support, email_footer, welcome, logo } = columns
  const palette = paletteOf(accent ?? theme.accent)
  const isOwnAccent = palette.light.accent !== theme.accent
  const light = { ...(isOwnAccent ? palette.light : {}), ...(radius && radius !== theme.radius ? { radius } : {}) }
  return {
    ...palette,
    page: {
      name: name ?? builtIn.name,
      mark: logo ? `${LOGOS}/${logo}` : builtIn.mark,
      ...(isOwnAccent ? { accent: palette.light.accent } : {}),
      ...(welcome ? { welcome } : {}),
    },
    css: Object.keys(light).length ? brandCss(light, isOwnAccent ? palette.dark : {}) : '',
    support: support ?? undefined,
    email_footer: email_footer ?? undefined,
  }
}

export const builtInBrand = siteBrandOf({})

const shared = sharedValue(async ({ db }) => {
  const row = await db.selectFrom('brand').selectAll().executeTakeFirst()
  return row ? siteBrandOf(row) : builtInBrand
})

/** The brand of this moment. While the database does not answer, the last one that was read, or the built-in one. */
export const brandOf = (world: World): Promise<SiteBrand> => shared.get(world).catch(() => builtInBrand)

/** Who runs the site. Staff may have replaced the contact. */
export const shownOperator = ({ config }: Pick<World, 'config'>, { support }: SiteBrand): Operator => ({
  ...config.operator,
  ...(support ? { support: linkTo(support) } : {}),
})

/** After staff have changed it. */
export const forgetBrand = shared.forget
