import type { FastifyReply, FastifyRequest } from 'fastify'
import { isHexColor } from '#contract/brand-colors.ts'
import { radii } from '#contract/console/brand.ts'
import { mayDo } from '#contract/console/permissions.ts'
import { MASTER } from '#contract/site.ts'
import { shownOperator, siteBrandOf } from '#server/brand/brand.ts'
import { staffBrowserFrom } from '#server/console/access/browser.ts'
import { findSession } from '#server/console/access/session.ts'
import { columnsOf } from '#server/console/brand/brand.ts'
import { previewEmail } from '#server/emails/preview.ts'
import { type Shell, sendPage } from '#server/site/shell.ts'
import { findLanding } from '#server/sponsors/landing.ts'
import type { World } from '#server/world/world.ts'

/** The form's values, whatever is being typed. */
export type Preview = {
  Params: { what: string }
  Querystring: Partial<Record<'name' | 'accent' | 'radius' | 'support' | 'email_footer' | 'welcome', string>>
}

const emailPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

/** How the wizard and an email would look with a brand that is not saved yet. For staff, in a frame of the console. */
export async function sendPreview(request: FastifyRequest<Preview>, reply: FastifyReply, world: World, shell: Shell) {
  const session = await findSession(world, staffBrowserFrom(request, reply, world))
  if (!session || !mayDo(session.staff.role, 'see_brand')) return reply.code(403).send('')
  reply.header('x-frame-options', 'SAMEORIGIN')
  const brand = await unsavedBrand(world, request.query)
  if (request.params.what === 'email')
    return reply
      .header('content-security-policy', emailPolicy)
      .type('text/html; charset=utf-8')
      .send(previewEmail(brand, shownOperator(world, brand), world.config.PUBLIC_URL))
  const landing = await findLanding(world, MASTER, {
    touches: [],
    unknownSite: undefined,
    isPaying: false,
    joined_as: undefined,
  })
  if ('redirectTo' in landing) return reply.code(404).send('')
  const footer = shell.pages.footer(shownOperator(world, brand))
  const look = { brand, footer: `<div inert>${footer}</div>` }
  return sendPage(
    request,
    reply,
    { ...shell, look: async () => look },
    {
      title: 'Preview',
      body: (page) => `<div inert>${shell.pages.enroll(landing.start, page)}</div>`,
      isPreview: true,
    },
  )
}

/** The logo is the saved one. */
async function unsavedBrand({ db }: World, form: Preview['Querystring']) {
  const { logo } = (await db.selectFrom('brand').select('logo').executeTakeFirst()) ?? { logo: null }
  const { name = '', accent = '', support = '', email_footer = '', welcome = '' } = form
  const radius = radii.find((known) => known === form.radius) ?? '0.625rem'
  const columns = columnsOf({
    name,
    radius,
    support,
    email_footer,
    welcome,
    accent: isHexColor(accent) ? accent.toLowerCase() : '',
  })
  return siteBrandOf({ ...columns, logo })
}
