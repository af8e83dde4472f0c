import { randomUUID } from 'node:crypto'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { brandDescription } from '#contract/brand.ts'
import { isOurPath, isSite, MASTER } from '#contract/site.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { JOINING_CLOSED, pauseMessage } from '#server/abuse/restrictions.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import { isPoolExhausted } from '#server/db/away.ts'
import { withoutWaiting } from '#server/db/outage.ts'
import { enrollmentPhase, officeUrlFor, type Phase } from '#server/enrollment/enrollment.ts'
import { limitKeys } from '#server/http/address.ts'
import { notFoundReply } from '#server/http/errors.ts'
import { addForms } from '#server/http/forms.ts'
import { refusalWhileAway } from '#server/http/patience.ts'
import { isPrefetch, isSafe, isSameOrigin, isTopLevelPage } from '#server/http/request.ts'
import { readOfficeCookie } from '#server/members/browser.ts'
import { memberOfSession } from '#server/members/session.ts'
import { oneMoment, Refusal } from '#server/refusal.ts'
import { findLanding, type Landing, type Visit } from '#server/sponsors/landing.ts'
import { type EnrollmentCookie, readEnrollmentCookie, setEnrollmentCookie } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import { findBuiltFile } from './built-files.ts'
import { apiReference } from './reference.ts'
import { type Shell, sendPage } from './shell.ts'
import { addTestPages } from './test-pages.ts'

/** What pages ask about a visitor. In front of an operator's API host, the host knows the sponsors and the members. */
type Joining = {
  findLanding: (site: string, visit: Visit) => Promise<Landing>
  phaseOf: (enrollment_id: string, request: FastifyRequest) => Promise<Phase>
  officeUrlFor: (visitor: Parameters<typeof officeUrlFor>[1]) => Promise<string>
}

export const joiningHere = (world: World): Joining => ({
  findLanding: (site, visit) => findLanding(world, site, visit),
  phaseOf: (enrollment_id) => enrollmentPhase(world, enrollment_id),
  officeUrlFor: (visitor) => officeUrlFor(world, visitor),
})

/** All pages except the office. */
export function addPages(app: FastifyInstance, world: World, shell: Shell, joining: Joining) {
  if (shell.files) addFiles(app, shell.files)
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await findBuiltFile(world, request.params.name, String(request.headers['accept-encoding'] ?? ''))
    if (!file) return notFound(request, reply, shell)
    if (file.encoding) reply.header('content-encoding', file.encoding)
    return reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': IMMUTABLE, vary: 'accept-encoding' })
      .send(file.bytes)
  })
  addErrorPages(app, shell)
  app.get('/', async (_request, reply) => reply.redirect(`/${MASTER}`))
  app.get<Site>('/:sponsor_site', (request, reply) => sponsorPage(request, reply, { world, shell, joining }))
  addMemberActions(app, { world, shell, joining })
  let reference: ReturnType<typeof apiReference> | undefined
  app.get('/api/docs', (request, reply) => {
    reference ??= apiReference(world.config)
    const calls = reference
    return sendPage(request, reply, shell, {
      title: 'API reference',
      body: (brand) => shell.pages.docs(calls, brand),
      script: shell.head.docsScript,
    })
  })
  addTestPages(app, world, shell)
}

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The files of the build. A file with a hash in its name never changes. */
const addFiles = (app: FastifyInstance, root: string) =>
  app.register(fastifyStatic, {
    root,
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = /-[\w-]{8,}\.\w+(?:\.(?:br|gz))?$/.test(path)
      reply.header('cache-control', isHashed ? IMMUTABLE : 'public, max-age=3600')
    },
  })

function addErrorPages(app: FastifyInstance, shell: Shell) {
  app.setNotFoundHandler((request, reply) => notFound(request, reply, shell))
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (error.statusCode && error.statusCode < 500) return notFound(request, reply, shell)
    const away = isPoolExhausted(error) ? oneMoment() : refusalWhileAway(error, request)
    if (away) return sendOneMoment(request, reply, shell, away)
    if (!(error instanceof Refusal)) request.log.error({ err: error }, 'page failed')
    return sendPage(request, reply, shell, {
      title: 'Please try again',
      body: (brand) => shell.pages.failed(brand),
      status: 503,
    })
  })
}

/** While the database moves. A script on it opens the page that was asked for as soon as it can. */
function sendOneMoment(request: FastifyRequest, reply: FastifyReply, shell: Shell, { details }: Refusal) {
  if (details.retryAfter) reply.header('retry-after', String(details.retryAfter))
  const opensAgain = details.retryAfter !== undefined && isSafe(request)
  return sendPage(request, reply, shell, {
    title: opensAgain ? 'One moment, please' : 'Please try again',
    body: (brand) => (opensAgain ? shell.pages.oneMoment(brand) : shell.pages.failed(brand)),
    status: 503,
    ...(opensAgain ? { script: shell.head.reopenScript } : {}),
  })
}

const notFound = (request: FastifyRequest, reply: FastifyReply, shell: Shell) =>
  isCall(request)
    ? reply.code(404).type('application/json').send(JSON.stringify(notFoundReply))
    : sendPage(request, reply, shell, {
        title: 'Page not found',
        body: (brand) => shell.pages.notFound(brand),
        status: 404,
      })

const isCall = ({ url }: FastifyRequest) => /^\/api(?:[/?]|$)/.test(url)

/** After a redirect, this cookie tells the page which link was unknown. */
const UNKNOWN_SITE = 'foyer_unknown_site'
const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax' } as const
const UNKNOWN_SITE_SECONDS = 60

type Site = { Params: { sponsor_site: string } }
type Parts = { world: World; shell: Shell; joining: Joining }

async function sponsorPage(request: FastifyRequest<Site>, reply: FastifyReply, { world, shell, joining }: Parts) {
  const path = request.params.sponsor_site
  const site = path.toLowerCase()
  if (isOurPath(site)) return notFound(request, reply, shell)
  if (isPrefetch(request)) return reply.code(503).send('') // the browser fetches it again when the visitor opens it, and then gets a cookie
  if (!isSite(site)) return leadToMaster(reply, path)
  const enrollment = await withoutWaiting(() => findOrStartEnrollment(request, world, joining))
  const unknownSite = unknownSiteOf(request)
  const landing = await joining.findLanding(site, { ...enrollment, unknownSite })
  if (isTopLevelPage(request) && !enrollment.joined_as)
    setEnrollmentCookie(reply, { ...enrollment, touches: landing.touches })
  if ('redirectTo' in landing) {
    return landing.isUnknown ? leadToMaster(reply, site) : reply.redirect(`/${landing.redirectTo}`)
  }
  if (request.url.split('?')[0] !== `/${site}`) return reply.redirect(`/${site}`) // typed with capitals or a slash
  if (unknownSite) reply.clearCookie(UNKNOWN_SITE, cookieOptions)
  const { pages, head } = shell
  const { title, start } = landing
  return sendPage(request, reply, shell, {
    title,
    description: (name) => `${title(name)}. ${brandDescription(name)}`,
    start,
    body: (brand) => pages.enroll(start, brand),
    banner: await closedBanner(world, enrollment),
    enrollment_id: enrollment.enrollment_id,
    script: head.script,
    preload: startsWithPackages(start) ? head.next : undefined,
    next: head.next,
  })
}

/** The first script has only the other first step. */
const startsWithPackages = (start: StartData | FallbackStart) =>
  'sponsor' in start && (start.product_id === undefined || start.policy.start_step === 'PRODUCT_SELECTION')

/** Not for someone who has paid or is about to hear from the bank. */
async function closedBanner(world: World, { isPaying, joined_as }: PageEnrollment) {
  if (isPaying || joined_as) return undefined
  const text = await pauseMessage(world).catch(() => undefined)
  return text ? { title: JOINING_CLOSED, text } : undefined
}

/** The page names the unknown word encoded as in an address bar, and shortened: strangers must not put sentences on it. */
const leadToMaster = (reply: FastifyReply, word: string) =>
  reply
    .setCookie(UNKNOWN_SITE, encodeURIComponent(word).slice(0, 60), { ...cookieOptions, maxAge: UNKNOWN_SITE_SECONDS })
    .redirect(`/${MASTER}`)

const unknownSiteOf = ({ cookies }: FastifyRequest) => {
  const word = cookies[UNKNOWN_SITE]
  return word && /^[\w.~%!'()*-]{1,60}$/.test(word) ? word : undefined
}

type PageEnrollment = EnrollmentCookie & { isPaying: boolean; joined_as: string | undefined }

/** A reload continues the same enrollment. Somebody who has joined in this browser, or is signed in, is recognized. */
async function findOrStartEnrollment(request: FastifyRequest, world: World, joining: Joining): Promise<PageEnrollment> {
  const cookie = readEnrollmentCookie(request)
  const progress = cookie ? await joining.phaseOf(cookie.enrollment_id, request) : ({ phase: 'over' } as const)
  const enrollment = cookie && progress.phase !== 'over' ? cookie : newEnrollment(world)
  if (progress.phase === 'joined') return { ...enrollment, isPaying: true, joined_as: progress.username }
  if (progress.phase === 'paying') return { ...enrollment, isPaying: true, joined_as: undefined }
  return { ...enrollment, isPaying: false, joined_as: await signedInAs(request, world, cookie) }
}

const newEnrollment = ({ now }: World): EnrollmentCookie => ({ enrollment_id: randomUUID(), since: now(), touches: [] })

/** The member who has signed in since this enrollment began. One who began it afterwards enrolls another person. */
async function signedInAs(request: FastifyRequest, world: World, cookie: EnrollmentCookie | undefined) {
  const key = isOfficeOurs(world.config) ? readOfficeCookie(request) : undefined
  const member = key ? await memberOfSession(world, key).catch(() => undefined) : undefined
  return member && (!cookie || cookie.since < member.signed_in_at) ? member.username : undefined
}

/** What someone who has joined can do on a sponsor's page: open the office, or enroll another person. */
function addMemberActions(app: FastifyInstance, { world, shell, joining }: Parts) {
  app.get<Site>('/:sponsor_site/office', async (request, reply) => {
    if (!isSite(request.params.sponsor_site)) return notFound(request, reply, shell)
    const visitor = { enrollment_id: readEnrollmentCookie(request)?.enrollment_id, address: limitKeys(request.ip) }
    return reply.redirect(isSameOrigin(request) ? await joining.officeUrlFor(visitor) : world.config.OFFICE_URL)
  })
  addForms(app, (forms) =>
    forms.post<Site>('/:sponsor_site/another', async (request, reply) => {
      if (!isSite(request.params.sponsor_site)) return notFound(request, reply, shell)
      setEnrollmentCookie(reply, newEnrollment(world))
      return reply.redirect(`/${request.params.sponsor_site}`, 303)
    }),
  )
}
