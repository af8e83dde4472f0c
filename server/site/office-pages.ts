import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OfficeStart } from '#contract/pages.ts'
import { isSameOrigin } from '#server/http/request.ts'
import { readOfficeCookie } from '#server/members/browser.ts'
import { consentBundle } from '#server/members/consent.ts'
import { qrCodePng, qrCodeSvg } from '#server/members/qr-code.ts'
import { viewSecurity } from '#server/members/security.ts'
import { memberOfSession } from '#server/members/session.ts'
import { findCreditNote } from '#server/membership/credit-notes.ts'
import { linkOf, viewOffice } from '#server/office/view.ts'
import type { World } from '#server/world/world.ts'
import { type Shell, sendPage } from './shell.ts'

const titles: Record<OfficeStart['screen'], string> = {
  office: 'Your office',
  security: 'Sign-in and security',
  'credit-note': 'Credit note',
  'sign-in': 'Sign in',
  'grant-landing': 'Your office',
  'forgotten-password': 'Forgot your password',
  'new-password': 'New password',
  'confirm-email': 'Confirm your email address',
  unsubscribe: 'Email settings',
}

/** Screens that need no session. Tokens in their URLs are read only by the page's script. */
const publicScreens: Record<string, OfficeStart> = {
  '/office/forgotten-password': { screen: 'forgotten-password' },
  '/office/new-password': { screen: 'new-password' },
  '/office/new-password-with-card': { screen: 'new-password', asksCard: true },
  '/office/confirm-email': { screen: 'confirm-email' },
}

/** Sends a screen of the office. Its address may hold a token, so it is never a referrer. */
export const screenSender =
  (shell: Shell) =>
  (request: FastifyRequest, reply: FastifyReply, start: OfficeStart, status = 200) =>
    sendPage(request, reply.header('referrer-policy', 'no-referrer'), shell, {
      title: titles[start.screen],
      body: (brand) => shell.pages.office(start, brand),
      start,
      status,
      script: shell.head.officeScript,
      preload: shell.head.officeImport,
    })

/** The pages of our own office. */
export function addOffice(app: FastifyInstance, world: World, shell: Shell) {
  const sendScreen = screenSender(shell)

  for (const [path, start] of Object.entries(publicScreens))
    app.get(path, (request, reply) => sendScreen(request, reply, start))
  app.get('/office/autologin/grant-access/:token', (request, reply) =>
    sendScreen(request, reply, {
      screen: 'grant-landing',
      ...(isSameOrigin(request) ? {} : { isFromOtherSite: true }),
    }),
  )

  type Member = NonNullable<Awaited<ReturnType<typeof memberOfSession>>>

  /** Only for signed-in members; everyone else gets the sign-in screen. */
  const addMemberPage = (
    path: string,
    handler: (member: Member, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) =>
    app.get(path, async (request, reply) => {
      const key = readOfficeCookie(request)
      const member = key ? await memberOfSession(world, key) : undefined
      return member ? handler(member, request, reply) : sendScreen(request, reply, { screen: 'sign-in' }, 401)
    })

  addMemberPage('/office', async ({ id, signed_in_at }, request, reply) =>
    sendScreen(request, reply, { screen: 'office', view: await viewOffice(world, id, signed_in_at) }),
  )
  addMemberPage('/office/security', async ({ id }, request, reply) =>
    sendScreen(request, reply, {
      screen: 'security',
      view: await viewSecurity(world, id, { officeKey: readOfficeCookie(request) }),
    }),
  )
  addMemberPage('/office/credit-notes/:number', async ({ id }, request, reply) => {
    const { number } = request.params as { number: string }
    const found = /^[1-9]\d{0,8}$/.test(number) ? await findCreditNote(world, Number(number)) : undefined
    if (found?.member_id !== id) {
      reply.callNotFound()
      return reply
    }
    return sendScreen(request, reply, { screen: 'credit-note', note: found.note })
  })
  addMemberPage('/office/link.svg', async ({ id }, _request, reply) =>
    reply.type('image/svg+xml').send(qrCodeSvg(await linkOf(world, id))),
  )
  addMemberPage('/office/link.png', async ({ id }, _request, reply) =>
    reply.type('image/png').send(qrCodePng(await linkOf(world, id))),
  )
  addMemberPage('/office/consent.json', async ({ id, username }, _request, reply) =>
    reply
      .type('application/json')
      .header('content-disposition', `attachment; filename="consent-${username}.json"`)
      .send(await consentBundle(world, id)),
  )
}
