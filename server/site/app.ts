import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { API, type Call, calls, ErrorReply, IdempotencyKey } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { messageCalls } from '#contract/message-calls.ts'
import { officeCalls } from '#contract/office/office.ts'
import { brandOf, type SiteBrand, shownOperator } from '#server/brand/brand.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import { addApiV1 } from '#server/connect/api/api.ts'
import { staffBrowserFrom } from '#server/console/access/browser.ts'
import { exactly } from '#server/db/patient-driver.ts'
import { flushOrWarn } from '#server/funnel/funnel.ts'
import { compress } from '#server/http/compress.ts'
import { addCookies } from '#server/http/cookies.ts'
import { Download, sendDownload } from '#server/http/download.ts'
import {
  notFoundReply,
  replyToError,
  replyToExpectation,
  replyToMalformed,
  replyToUnreadable,
  replyToWrongHosts,
} from '#server/http/errors.ts'
import type { Handlers } from '#server/http/handlers.ts'
import { dataHeaders } from '#server/http/headers.ts'
import { addPatience } from '#server/http/patience.ts'
import { memberBrowserFrom } from '#server/members/browser.ts'
import { refuseFields } from '#server/refusal.ts'
import { visitorFrom } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import { closeGracefully } from './closing.ts'
import { addConsole } from './console-pages.ts'
import { addCspReports } from './csp-reports.ts'
import { handlers, messageHandlers } from './handlers.ts'
import { addHealth } from './health.ts'
import { checkHost, hasOneHost } from './hosts.ts'
import { addOffice } from './office-pages.ts'
import { welcomeOtherCallers } from './other-callers.ts'
import { addPages, joiningHere } from './page.ts'
import { addPublicPages } from './public-pages.ts'
import type { Look, Shell } from './shell.ts'
import { guardTestPages } from './test-page-token.ts'

const KILOBYTES = 1024
const SECONDS = 1000

/** Fastify's types only know compilers for JSON Schema. */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => serializerCompiler,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

type AppOptions = { world: World; shell: Shell; serverFactory?: FastifyServerFactory }

/** The site over HTTP: the calls of the contract, the pages, and replies to invalid requests. */
export async function createApp({ world, shell: plain, serverFactory }: AppOptions): Promise<FastifyInstance> {
  const { config, log } = world
  const shell = { ...plain, look: lookOf(world, plain) }
  const headers = dataHeaders(config)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.TRUST_PROXY.length ? config.TRUST_PROXY : false,
    bodyLimit: 64 * KILOBYTES,
    requestTimeout: 15 * SECONDS,
    keepAliveTimeout: 30 * SECONDS,
    http: {
      headersTimeout: 8 * SECONDS,
      connectionsCheckingInterval: 2 * SECONDS,
      maxHeaderSize: 16 * KILOBYTES,
      requireHostHeader: false, // Node's own reply would have no body and none of our headers
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    frameworkErrors: (error, _request, reply) => replyToUnreadable(error, reply, headers),
    clientErrorHandler: (error, socket) => replyToMalformed(error, socket, headers),
    schemaController: { compilersFactory }, // with these, Fastify doesn't load its own
    ...(serverFactory ? { serverFactory } : {}),
  })
  app.removeContentTypeParser('text/plain')
  addSafety(app, headers, config)
  closeGracefully(app)
  addPatience(app)
  app.addHook('onClose', () => flushOrWarn(world))
  const front = await openFront(app, world, shell)
  await addCookies(app, world)
  guardTestPages(app, config)
  addHealth(app, world)
  addPublicKeys(app, world)
  await app.register(async (api) => addApi(api, world, front), { prefix: API })
  await addCspReports(app, world)
  addPages(app, world, shell, front?.joining ?? joiningHere(world))
  addPublicPages(app, world, shell)
  if (isOfficeOurs(config)) addOffice(app, world, shell)
  addConsole(app, world, shell)
  return app
}

type Front = NonNullable<Awaited<ReturnType<typeof openFront>>>

/** In front of an operator's API host, its answers replace our own. Loaded only there. */
async function openFront(app: FastifyInstance, world: World, shell: Shell) {
  if (!world.config.PROVIDER_API_URL) return undefined
  const { openProvider, joiningAt, addProviderPages, ...calls } = await import('./provider-pages.ts')
  const provider = openProvider(world)
  app.addHook('onClose', () => calls.untilAnswered().then(provider.host.close))
  addProviderPages(app, provider, shell)
  return {
    joining: joiningAt(provider),
    handlers: calls.providerHandlers(provider),
    visitorFrom: calls.providerVisitorFrom,
  }
}

/** The footer is rendered once for each brand. */
function lookOf(world: World, { pages }: Shell): () => Promise<Look> {
  const footers = new WeakMap<SiteBrand, string>()
  return async () => {
    const brand = await brandOf(world)
    const footer = footers.get(brand) ?? pages.footer(shownOperator(world, brand))
    footers.set(brand, footer)
    return { brand, footer }
  }
}

/** Security headers on every reply, our own hosts only, and one line in the log per request. The URL is not logged: it may hold a token. */
function addSafety(app: FastifyInstance, headers: Record<string, string>, config: World['config']) {
  const isForUs = checkHost(config)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    if (!hasOneHost(request)) replyToWrongHosts(reply)
    else if (isForUs(request, reply)) done()
  })
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    replyToExpectation(response, headers),
  )
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const ms = Math.round(reply.elapsedTime)
    request.log.info({ method, route: routeOptions.url ?? '(none)', status: reply.statusCode, ms }, 'answered')
    done()
  })
}

/** The public keys, where JWT libraries look for them. They verify grants and consent bundles. */
const addPublicKeys = (app: FastifyInstance, { keys }: World) =>
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(JSON.stringify({ keys: keys.publicKeys() })),
  )

function addApi(api: FastifyInstance, world: World, front: Front | undefined) {
  api.setErrorHandler(replyToError)
  api.setNotFoundHandler((_request, reply) => reply.code(404).send(notFoundReply))
  addPublicCalls(api, world, front)
  addCalls(api, world, messageCalls, visitorFrom, async () => messageHandlers)
  addCalls(
    api,
    world,
    consoleCalls,
    staffBrowserFrom,
    async () => (await import('#server/console/handlers.ts')).consoleHandlers,
  )
  let document: ReturnType<typeof describePublicCalls> | undefined
  api.get('/openapi.json', () => {
    document ??= describePublicCalls(world, front)
    return document
  })
}

/** The calls that anyone may build on. The reference describes these and no others. */
function addPublicCalls(api: FastifyInstance, world: World, front: Front | undefined) {
  api.register(async (open) => {
    welcomeOtherCallers(
      open,
      world.config,
      Object.values(calls).map(({ path }) => path),
    )
    if (front) addCalls(open, world, calls, front.visitorFrom, async () => front.handlers)
    else addCalls(open, world, calls, visitorFrom, async () => handlers)
  })
  if (!front) addApiV1(api, world, { handlers: loadApiHandlers, actions: loadApiActions })
  if (isOfficeOurs(world.config))
    addCalls(
      api,
      world,
      officeCalls,
      memberBrowserFrom,
      async () => (await import('#server/office/handlers.ts')).officeHandlers,
    )
}

const loadApiHandlers = async () => (await import('#server/connect/api/handlers.ts')).apiHandlers

/** What other systems change is done by the console's own functions. */
const loadApiActions = async () => ({
  ...(await import('#server/console/members/member-actions.ts')),
  ...(await import('#server/console/members/member-details.ts')),
})

async function describePublicCalls(world: World, front: Front | undefined) {
  const { describeCalls } = await import('./openapi.ts')
  return describeCalls(world.config, (app) => addPublicCalls(app, world, front))
}

/** What a request says about who sent it. */
type CallerFrom<Caller> = (request: FastifyRequest, reply: FastifyReply, world: World) => Caller

/** Office and console load their handlers with the first call, because a start doesn't need them. */
function addCalls<Calls extends Record<string, Call>, Caller>(
  api: FastifyInstance,
  world: World,
  calls: Calls,
  callerFrom: CallerFrom<Caller>,
  load: () => Promise<Handlers<Calls, Caller>>,
) {
  for (const [name, call] of Object.entries(calls)) {
    const isKeyless = call.method === 'POST' && !call.takesIdempotencyKey
    addCall(api, name, call, async (input, request, reply) => {
      const its = isKeyless ? { ...world, db: exactly(world.db) } : world
      const handler = (await load())[name] as Handler<Caller>
      return handler(its, input, callerFrom(request, reply, its))
    })
  }
}

type Handler<Caller> = (world: World, input: unknown, caller: Caller) => Promise<unknown>
type Answer = (input: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** A call of the contract as a route: its schemas check the input and strip the output. */
function addCall(api: FastifyInstance, name: string, call: Call, answer: Answer) {
  const source = call.path.includes(':') ? 'params' : call.method === 'GET' ? 'querystring' : 'body'
  api.route({
    method: call.method,
    url: call.path,
    schema: {
      operationId: name,
      summary: call.summary,
      tags: [call.path.split('/')[1] ?? ''],
      [source]: call.input,
      ...(call.takesIdempotencyKey ? { headers: z.object({ 'idempotency-key': z.optional(IdempotencyKey) }) } : {}),
      response: {
        200: call.output,
        ...(call.mayBePending ? { 202: call.output } : {}),
        '4xx': ErrorReply,
        '5xx': ErrorReply,
      },
    },
    ...(call.isSameForAll ? { onSend: (request, reply, json) => compress(request, reply, String(json)) } : {}),
    handler: async (request, reply) => {
      const input = request[source === 'querystring' ? 'query' : source]
      refuseZeroBytes(input)
      const output = await answer(input, request, reply)
      if (output instanceof Download) return sendDownload(reply, output)
      return reply.code(call.mayBePending && isPending(output) ? 202 : 200).send(output)
    },
  })
}

/** PostgreSQL can't store a zero byte in text. A loop, because the input may be nested too deeply for recursion. */
function refuseZeroBytes(input: unknown): void {
  const left = Object.entries(input ?? {})
  for (let entry = left.pop(); entry; entry = left.pop()) {
    const [name, value] = entry
    if (name.includes('\0') || (typeof value === 'string' && value.includes('\0')))
      throw refuseFields({ [name.replaceAll('\0', '')]: 'Please use only letters, numbers and symbols.' })
    if (typeof value === 'object' && value) left.push(...Object.entries(value))
  }
}

const isPending = (output: unknown) =>
  typeof output === 'object' &&
  output !== null &&
  'payment' in output &&
  /^(?:Pending|Unknown)$/.test(String(output.payment))
