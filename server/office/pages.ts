import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { brand } from '#contract/brand.ts'
import type { OfficeStart } from '#contract/pages.ts'
import type { Config } from '#server/config/config.ts'
import { isFromHere, readOfficeCookie } from '#server/http/request.ts'
import { type Shell, sendPage } from '#server/http/shell.ts'
import type { World } from '#server/world.ts'
import { consentBundle } from './consent.ts'
import { linkCode } from './qr-code.ts'
import { memberBehind } from './session.ts'
import { viewOffice } from './view.ts'

/** An operator's own office (OFFICE_URL) takes the place of ours. */
export const isOfficeOurs = ({ PUBLIC_URL, OFFICE_URL }: Config) => OFFICE_URL === `${PUBLIC_URL}/office`

const titles: Record<OfficeStart['screen'], string> = {
  office: 'Your office',
  'sign-in': 'Sign in',
  'grant-landing': 'Your office',
  'forgotten-password': 'Forgot your password',
  'new-password': 'New password',
  'confirm-email': 'Confirm your email address',
}

/** Screens that anybody may open. Where a word stands in the address, only the page's script reads it, and nobody else may. */
const openScreens = {
  '/office/forgotten-password': 'forgotten-password',
  '/office/new-password': 'new-password',
  '/office/confirm-email': 'confirm-email',
} as const

const hidden = { schema: { hide: true } }

/** The pages of the office that we ship. */
export function addOffice(app: FastifyInstance, world: World, shell: Shell) {
  const show = (request: FastifyRequest, reply: FastifyReply, start: OfficeStart, status = 200) =>
    sendPage(request, reply.header('referrer-policy', 'no-referrer'), shell, {
      title: `${titles[start.screen]} · ${brand.name}`,
      body: shell.pages.office(start),
      start,
      status,
      script: shell.head.officeScript,
    })

  for (const [path, screen] of Object.entries(openScreens))
    app.get(path, hidden, (request, reply) => show(request, reply, { screen }))
  app.get('/office/autologin/grant-access/:token', hidden, (request, reply) =>
    show(request, reply, { screen: 'grant-landing', ...(isFromHere(request) ? {} : { isFromOtherSite: true }) }),
  )

  type Member = NonNullable<Awaited<ReturnType<typeof memberBehind>>>

  /** What only a member sees; who is not signed in may do so here. */
  const addForMembers = (
    path: string,
    answer: (member: Member, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) =>
    app.get(path, hidden, async (request, reply) => {
      const key = readOfficeCookie(request)
      const member = key ? await memberBehind(world, key) : undefined
      return member ? answer(member, request, reply) : show(request, reply, { screen: 'sign-in' }, 401)
    })

  addForMembers('/office', async ({ id }, request, reply) =>
    show(request, reply, { screen: 'office', view: await viewOffice(world, id) }),
  )
  addForMembers('/office/link.svg', async ({ username }, _request, reply) =>
    reply.type('image/svg+xml').send(linkCode(`${world.config.PUBLIC_URL}/${username}`)),
  )
  addForMembers('/office/consent.json', async ({ id, username }, _request, reply) =>
    reply
      .type('application/json')
      .header('content-disposition', `attachment; filename="consent-${username}.json"`)
      .send(await consentBundle(world, id)),
  )
}
