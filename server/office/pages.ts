import type { FastifyInstance } from 'fastify'
import { brand } from '#contract/brand.ts'
import type { Config } from '#server/config.ts'
import { readOfficeCookie } from '#server/request.ts'
import { type Shell, sendPage } from '#server/shell.ts'
import type { World } from '#server/world.ts'
import { memberBehind } from './session.ts'

/** An operator's own office (OFFICE_URL) takes the place of ours. */
export const shipsOffice = ({ PUBLIC_URL, OFFICE_URL }: Config) => OFFICE_URL === `${PUBLIC_URL}/office`

/** The pages of the office that we ship. */
export function addOffice(app: FastifyInstance, world: World, shell: Shell) {
  const { PUBLIC_URL } = world.config
  const hidden = { schema: { hide: true } }
  const { pages, head } = shell

  // The grant stands in this address. The page posts it at once and leaves; nothing else may learn of it.
  app.get('/office/autologin/grant-access/:token', hidden, (request, reply) => {
    reply.header('referrer-policy', 'no-referrer')
    return sendPage(request, reply, shell, {
      title: `Your office · ${brand.name}`,
      body: pages.officeDoor(),
      script: head.officeScript,
    })
  })

  app.get('/office', hidden, async (request, reply) => {
    const key = readOfficeCookie(request)
    const member = key ? await memberBehind(world, key) : undefined
    if (!member)
      return sendPage(request, reply, shell, {
        title: `Your office · ${brand.name}`,
        body: pages.officeClosed(),
        status: 401,
      })
    const { first_name, sponsor_name, username, joined_at } = member
    const shown = {
      first_name,
      sponsor_name,
      link: `${PUBLIC_URL}/${username}`,
      joined_on: joined_at.toISOString().slice(0, 10),
    }
    return sendPage(request, reply, shell, {
      title: `Your office · ${brand.name}`,
      body: pages.office(shown),
      script: head.officeScript,
    })
  })
}
