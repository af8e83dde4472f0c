import { sql } from 'kysely'
import { theme } from '#contract/brand.ts'
import { isReadableAccent, nearestReadable } from '#contract/brand-colors.ts'
import type { BrandForm, BrandView } from '#contract/console/brand.ts'
import { type AuditEntry, recordAction } from '#server/audit/audit.ts'
import { type BrandColumns, builtInBrand, forgetBrand, LOGOS } from '#server/brand/brand.ts'
import { checkLogo } from '#server/brand/check-logo.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { requireVersion, versionOf } from '../form-version.ts'

const findBrand = (db: Db) => db.selectFrom('brand').selectAll().executeTakeFirst()

export async function viewBrand({ db, config }: World): Promise<BrandView> {
  const row = await findBrand(db)
  const form = formOf(row ?? {})
  return {
    ...form,
    version: versionOf(form),
    ...(row?.logo ? { logo_url: `${LOGOS}/${row.logo}` } : {}),
    built_in: {
      name: builtInBrand.page.name,
      accent: theme.accent,
      support: config.operator.support?.text ?? '',
    },
  }
}

const formOf = ({ name, accent, radius, support, email_footer, welcome }: BrandColumns): BrandForm => ({
  name: name ?? '',
  accent: accent ?? '',
  radius: (radius ?? theme.radius) as BrandForm['radius'],
  support: support ?? '',
  email_footer: email_footer ?? '',
  welcome: welcome ?? '',
})

/** What staff entered, as columns: what is built in is not stored, so that it follows an update. */
export function columnsOf(form: BrandForm): Required<Omit<BrandColumns, 'logo'>> {
  const { name, accent, radius } = form
  return {
    name: name && name !== builtInBrand.page.name ? name : null,
    accent: accent && accent !== theme.accent ? accent : null,
    radius: radius === theme.radius ? null : radius,
    support: form.support || null,
    email_footer: form.email_footer || null,
    welcome: form.welcome || null,
  }
}

type NewBrand = BrandForm & { version: string }

export async function changeBrand(
  world: World,
  { version, ...form }: NewBrand,
  session: StaffSession,
): Promise<BrandView> {
  if (form.accent && !isReadableAccent(form.accent)) throw refuseFields({ accent: tooLight(form.accent) })
  return change(world, session, async (db) => {
    const columns = columnsOf(form)
    const before = formOf((await findBrand(db)) ?? {})
    requireVersion(before, version)
    const after = formOf(columns)
    const changed = (Object.keys(after) as (keyof BrandForm)[]).filter((name) => before[name] !== after[name])
    if (!changed.length) throw new Refusal(409, 'Nothing is different from what is saved.')
    await save(db, world.now(), columns)
    const only = (values: BrandForm) => Object.fromEntries(changed.map((name) => [name, values[name]]))
    return { act: 'change_brand', before: only(before), after: only(after) }
  })
}

export const tooLight = (accent: string): string =>
  `${accent} is too light for white text; the nearest that works is ${nearestReadable(accent)}.`

export async function changeLogo(world: World, { logo }: { logo: string }, session: StaffSession): Promise<BrandView> {
  const checked = checkLogo(Buffer.from(logo, 'base64'))
  if ('problem' in checked) throw refuseField('logo', checked.problem)
  const { name, content } = checked
  return change(world, session, async (db) => {
    await db
      .insertInto('brand_logo')
      .values({ name, content, created_at: world.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const before = (await findBrand(db))?.logo ?? null
    await save(db, world.now(), { logo: name })
    return { act: 'change_logo', before: { logo: before }, after: { logo: name } }
  })
}

export const removeLogo = (world: World, session: StaffSession): Promise<BrandView> =>
  change(world, session, async (db) => {
    const before = (await findBrand(db))?.logo
    if (!before) throw new Refusal(409, 'The logo is the built-in one already. Please reload the page.')
    await save(db, world.now(), { logo: null })
    return { act: 'remove_logo', before: { logo: before } }
  })

const save = (db: Db, updated_at: Date, columns: BrandColumns) =>
  db
    .insertInto('brand')
    .values({ id: 1, ...columns, updated_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...columns, updated_at }))
    .execute()

type Change = Pick<AuditEntry, 'act' | 'before' | 'after'>

/** A change and its audit row. This process follows at once, the others within seconds. */
async function change(world: World, { staff }: StaffSession, work: (db: Db) => Promise<Change>): Promise<BrandView> {
  await inTransaction(world.db, async (db) => {
    await sql`lock table brand in share row exclusive mode`.execute(db) // it may have no row yet
    const entry = await work(db)
    await recordAction({ ...world, db }, { ...entry, actor: staff, subject_kind: 'site', subject: 'brand' })
  })
  forgetBrand(world)
  return viewBrand(world)
}
