import { randomUUID } from 'node:crypto'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { brand, brandDescription } from '#contract/brand.ts'
import { MASTER, reservedWords, SITE_PATTERN } from '#contract/site.ts'
import { enrollmentStanding } from '#server/enrollment/enrollment.ts'
import { Refusal } from '#server/refusal.ts'
import { findLanding } from '#server/sponsors/landing.ts'
import type { World } from '#server/world.ts'
import { findBuiltFile } from './built-files.ts'
import { documentedCalls } from './docs.ts'
import { notFoundReply } from './errors.ts'
import { addOutbox } from './outbox.ts'
import {
  type EnrollmentCookie,
  isPrefetch,
  isTopLevelPage,
  readEnrollmentCookie,
  setEnrollmentCookie,
} from './request.ts'
import { type Shell, sendPage } from './shell.ts'
import { addTestPayments } from './test-payments.ts'

const hidden = { schema: { hide: true } }

/** Everything that a person opens in a browser, apart from the office. */
export function addPages(app: FastifyInstance, world: World, shell: Shell) {
  if (shell.files) addFiles(app, shell.files)
  app.get<{ Params: { name: string } }>('/assets/:name', hidden, async (request, reply) => {
    const file = await findBuiltFile(world, request.params.name, String(request.headers['accept-encoding'] ?? ''))
    if (!file) return notFound(request, reply, shell)
    if (file.encoding) reply.header('content-encoding', file.encoding)
    return reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': FOR_EVER, vary: 'accept-encoding' })
      .send(file.bytes)
  })
  addWaysOut(app, shell)
  app.get('/', hidden, async (_request, reply) => reply.redirect(`/${MASTER}`))
  app.get<{ Params: { sponsor_site: string } }>('/:sponsor_site', hidden, (request, reply) =>
    sponsorPage(request, reply, world, shell, request.params.sponsor_site),
  )
  const documented = documentedCalls(world.config)
  app.get('/api/docs', hidden, (request, reply) => {
    const body = shell.pages.docs(documented)
    return sendPage(request, reply, shell, { title: `Calls · ${brand.name}`, body })
  })
  const { production, embedded } = world.config
  if (!production && ['mail', 'phone'].some((part) => embedded.includes(part))) addOutbox(app, world, shell)
  if (!production) addTestPayments(app, world, shell)
}

const FOR_EVER = 'public, max-age=31536000, immutable'

/** The build's files; a name with a hash in it never changes. */
const addFiles = (app: FastifyInstance, root: string) =>
  app.register(fastifyStatic, {
    root,
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const hashed = /-[\w-]{8,}\.\w+(?:\.(?:br|gz))?$/.test(path)
      reply.header('cache-control', hashed ? FOR_EVER : 'public, max-age=3600')
    },
  })

/** What stands where nothing is, and where something broke. */
function addWaysOut(app: FastifyInstance, shell: Shell) {
  app.setNotFoundHandler((request, reply) => notFound(request, reply, shell))
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (error.statusCode && error.statusCode < 500) return notFound(request, reply, shell)
    if (!(error instanceof Refusal)) request.log.error({ err: error }, 'a page failed')
    return sendPage(request, reply, shell, {
      title: `Please try again · ${brand.name}`,
      body: shell.pages.failed(),
      status: 503,
    })
  })
}

const notFound = (request: FastifyRequest, reply: FastifyReply, shell: Shell) =>
  isCall(request)
    ? reply.code(404).type('application/json').send(JSON.stringify(notFoundReply))
    : sendPage(request, reply, shell, {
        title: `Page not found · ${brand.name}`,
        body: shell.pages.notFound(),
        status: 404,
      })

const isCall = ({ url }: FastifyRequest) => /^\/api(?:[/?]|$)/.test(url)

/** Carry the word of a link that led nowhere, or to the sponsor whose link came first, to the page that says so. */
const LOST = 'foyer_unknown_site'
const OTHER = 'foyer_other_site'
const carried = { path: '/', httpOnly: true, sameSite: 'lax' } as const
const SECONDS_LOST = 60
const SECONDS_OTHER = 1800

async function sponsorPage(request: FastifyRequest, reply: FastifyReply, world: World, shell: Shell, word: string) {
  const site = word.toLowerCase()
  if (!SITE_PATTERN.test(site) || (site !== MASTER && reservedWords.has(site))) return notFound(request, reply, shell)
  if (isPrefetch(request)) return reply.code(503).send('') // asked for again, with its cookie, when somebody opens it
  const begun = await goOn(request, world, site)
  const lost = wordIn(request, LOST)
  const arrival = await findLanding(world, site, { ...begun, lost, other: wordIn(request, OTHER) })
  if (isTopLevelPage(request)) setEnrollmentCookie(reply, { ...begun, touches: arrival.touches })
  if ('leadsTo' in arrival) {
    if (arrival.isLost) reply.setCookie(LOST, site, { ...carried, maxAge: SECONDS_LOST })
    else if (site !== MASTER) reply.setCookie(OTHER, site, { ...carried, maxAge: SECONDS_OTHER })
    return reply.redirect(`/${arrival.leadsTo}`)
  }
  if (request.url.split('?')[0] !== `/${site}`) return reply.redirect(`/${site}`) // written with capitals or a slash
  if (lost) reply.clearCookie(LOST, carried)
  const { pages, head } = shell
  const { title, start } = arrival
  return sendPage(request, reply, shell, {
    title,
    description: `${title}. ${brandDescription}`,
    start,
    body: pages.enroll(start),
    enrollment_id: begun.enrollment_id,
    script: head.script,
    next: head.next,
  })
}

const wordIn = ({ cookies }: FastifyRequest, name: string) => {
  const word = cookies[name]
  return word && SITE_PATTERN.test(word) ? word : undefined
}

/** The visitor's enrollment, or a new one. A reload does not begin again. */
async function goOn(
  request: FastifyRequest,
  world: World,
  site: string,
): Promise<EnrollmentCookie & { mayChoose: boolean }> {
  const known = readEnrollmentCookie(request)
  const isNewLink = !known?.touches.some((touch) => touch.site === site)
  const standing = known ? await enrollmentStanding(world, known.enrollment_id, isNewLink) : 'over'
  return known && standing !== 'over'
    ? { ...known, mayChoose: standing === 'free' }
    : { enrollment_id: randomUUID(), since: world.now(), touches: [], mayChoose: true }
}
