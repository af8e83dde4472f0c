import { randomUUID } from 'node:crypto'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limits, MASTER, reservedWords } from '#contract/limits.ts'
import { toAmount } from '#contract/money.ts'
import { groupOf } from '#contract/packages.ts'
import { renewsOn } from '#contract/renewal.ts'
import type { BareStart, StartData } from '#contract/start.ts'
import { findPackages, ourShelf } from './catalog.ts'
import { documentedCalls } from './docs.ts'
import { nothingHere } from './errors.ts'
import { messagesTo } from './outbox.ts'
import { Refusal } from './refusal.ts'
import { giveCookie, readCookie } from './request.ts'
import { type Shell, sendPage } from './shell.ts'
import { findSponsor } from './sponsors.ts'
import type { World } from './world.ts'

const SITE = /^[a-z0-9]{1,30}$/
const YEAR = 31_536_000
/** Carries the word of a link that led nowhere to the page that says so. */
const LOST = 'foyer_unknown_site'

/** Everything that a person opens in a browser. */
export function addPages(app: FastifyInstance, world: World, shell: Shell) {
  if (shell.files)
    app.register(fastifyStatic, {
      root: shell.files,
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const hashed = /-[\w-]{8,}\.\w+$/.test(path)
        reply.header('cache-control', hashed ? `public, max-age=${YEAR}, immutable` : 'public, max-age=3600')
      },
    })
  const hidden = { schema: { hide: true } }
  const notFound = (request: FastifyRequest, reply: FastifyReply) =>
    isCall(request)
      ? reply.code(404).type('application/json').send(JSON.stringify(nothingHere))
      : sendPage(request, reply, shell, { title: 'Page not found · Foyer', body: shell.pages.notFound(), status: 404 })
  app.setNotFoundHandler(notFound)
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (error.statusCode && error.statusCode < 500) return notFound(request, reply)
    if (!(error instanceof Refusal)) request.log.error({ err: error }, 'a page failed')
    return sendPage(request, reply, shell, {
      title: 'Please try again · Foyer',
      body: shell.pages.failed(),
      status: 503,
    })
  })

  app.get('/', hidden, async (_request, reply) => reply.redirect(`/${MASTER}`))
  app.get<{ Params: { sponsor_site: string } }>('/:sponsor_site', hidden, (request, reply) => {
    const site = request.params.sponsor_site.toLowerCase()
    if (!SITE.test(site) || (site !== MASTER && reservedWords.has(site))) return notFound(request, reply)
    return enrollPage(request, reply, world, shell, site).catch((error: unknown) => {
      request.log.error({ err: error }, 'a page goes out without its start data')
      return sendEnrollPage(request, reply, world, shell, site, 'Join Foyer', {
        sponsor_site: site,
        ...withoutDatabase(world),
      })
    })
  })
  app.get('/api/docs', hidden, (request, reply) =>
    sendPage(request, reply, shell, { title: 'Calls · Foyer', body: shell.pages.docs(documentedCalls(app.swagger())) }),
  )
  if (!world.config.embedded.includes('mail') && !world.config.embedded.includes('phone')) return
  app.get<{ Querystring: { to?: string } }>('/__outbox.json', hidden, async (request, reply) =>
    reply.send(JSON.stringify(await messagesTo(world.db, request.query.to))),
  )
  app.get<{ Querystring: { to?: string } }>('/__outbox', hidden, async (request, reply) =>
    sendPage(request, reply, shell, {
      title: 'Outbox · Foyer',
      body: shell.pages.outbox(await messagesTo(world.db, request.query.to)),
    }),
  )
}

const isCall = ({ url }: FastifyRequest) => /^\/api(?:[/?]|$)/.test(url)

/** A sponsor's page, or the way to the page that this word leads to. */
async function enrollPage(request: FastifyRequest, reply: FastifyReply, world: World, shell: Shell, site: string) {
  const sponsor = await findSponsor(world.db, site)
  if (sponsor.site !== site || request.url.split('?')[0] !== `/${site}`) {
    if (sponsor.site === MASTER && site !== MASTER)
      reply.setCookie(LOST, site, { path: `/${MASTER}`, httpOnly: true, sameSite: 'lax', maxAge: 60 })
    return reply.redirect(`/${sponsor.site}`)
  }
  const unknown_site = request.cookies[LOST]
  if (unknown_site) reply.clearCookie(LOST, { path: `/${MASTER}` })
  const start = await startData(world, sponsor, unknown_site && SITE.test(unknown_site) ? unknown_site : undefined)
  const title = sponsor.site === MASTER ? 'Join Foyer' : `Join Foyer with ${sponsor.name}`
  return sendEnrollPage(request, reply, world, shell, site, title, start)
}

/** The page with an enrollment of the visitor's own. */
function sendEnrollPage(
  request: FastifyRequest,
  reply: FastifyReply,
  world: World,
  shell: Shell,
  site: string,
  title: string,
  start: StartData | BareStart,
) {
  const enrollment_id = readCookie(request) ?? randomUUID()
  giveCookie(reply, world, enrollment_id, site)
  const { pages, head } = shell
  return sendPage(request, reply, shell, {
    title,
    body: pages.enroll(start),
    start,
    enrollment_id,
    script: head.script,
  })
}

/** What the page shows and needs before any call. */
async function startData(
  world: World,
  sponsor: StartData['sponsor'],
  unknown_site: string | undefined,
): Promise<StartData> {
  const packages = await findPackages(world.db, ourShelf)
  const starter = packages.find(
    (found) => found.product_id === limits.starter_product_id && groupOf(found) === 'starter',
  )
  return {
    sponsor,
    ...(unknown_site ? { unknown_site } : {}),
    packages,
    ...(starter ? { product_id: starter.product_id } : {}),
    grand_total: starter?.price ?? toAmount(0),
    ...withoutDatabase(world),
  }
}

/** What we know without asking the database. */
const withoutDatabase = ({ config, now }: World): Omit<BareStart, 'sponsor_site'> => ({
  renews_on: renewsOn(now()),
  policy: {
    start_step: config.START_STEP,
    autoship: config.AUTOSHIP,
    special: config.SPECIAL,
    phone_verification: config.PHONE_VERIFICATION,
  },
  test_payments: config.PAYMENT === 'sandbox',
})
