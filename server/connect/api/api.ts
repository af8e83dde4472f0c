import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { ErrorReply } from '#contract/api.ts'
import { type ApiCall, apiCalls, IdempotencyKey, V1 } from '#contract/connect/api.ts'
import { messagesByField } from '#contract/fields.ts'
import { type ApiKey, authenticate, requireScope } from '#server/connect/keys/keys.ts'
import { exactly } from '#server/db/patient-driver.ts'
import { limitKeys } from '#server/http/address.ts'
import { replyToError } from '#server/http/errors.ts'
import { header } from '#server/http/request.ts'
import { OperatorError } from '#server/operator-error.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { World } from '#server/world/world.ts'
import { once } from './idempotency.ts'
import { type Acting, type Actions, actingFor } from './writes.ts'

/** The API for the operator's other systems: the calls of contract/connect/api.ts as routes. */

/** What a request says besides its input. */
export type ApiRequest = {
  key: ApiKey
  request: FastifyRequest
  /** Aborted once the caller is gone or the server closes. */
  signal: () => AbortSignal
}
type Content = Record<string, unknown>
/** The compiler has checked the handlers against the calls in handlers.ts. */
type Handle = (world: World, input: object, caller: ApiRequest | Acting, actions?: Actions) => Promise<Content>

type Parts = {
  calls?: Record<string, ApiCall>
  handlers: () => Promise<object>
  /** The console's functions, which make the changes. */
  actions: () => Promise<Actions>
}

export function addApiV1(api: FastifyInstance, world: World, { calls = apiCalls, handlers, actions }: Parts) {
  api.register(
    async (v1) => {
      v1.setErrorHandler(replyToApiError)
      const closing = new AbortController()
      v1.addHook('preClose', async () => closing.abort())
      for (const [name, call] of Object.entries(calls))
        addCall(v1, world, name, call, async (input, request, reply) => {
          const { [name]: handle } = (await handlers()) as { [name: string]: Handle }
          if (!handle) throw new Error(`There is no handler for ${name}.`)
          const signal = () => AbortSignal.any([closing.signal, goneOf(reply)])
          const caller = { key: keyOf(request), request, signal }
          if (!call.body) return handle(world, input, caller)
          const answer = async (world: World, by: Acting) => handle(world, input, by, await actions())
          return answerOnce(world, caller, reply, answer)
        })
      for (const path of new Set(Object.values(calls).map(({ path }) => path)))
        refuseOtherMethods(
          v1,
          path,
          Object.values(calls).filter((call) => call.path === path),
        )
    },
    { prefix: V1 },
  )
}

/** A response is also closed when its reader is. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

type Answer = (input: object, request: FastifyRequest, reply: FastifyReply) => Promise<object>

/** Checks the key and its scope before the input. Cookies mean nothing here. */
function addCall(v1: FastifyInstance, world: World, name: string, call: ApiCall, answer: Answer) {
  v1.route({
    method: call.method,
    url: call.path,
    schema: {
      operationId: `v1.${name}`,
      summary: call.summary,
      description: `Needs the scope \`${call.scope}\`.`,
      tags: ['v1'],
      security: [{ api_key: [] }],
      ...(call.deprecated ? { deprecated: true } : {}),
      ...(call.params ? { params: call.params } : {}),
      ...(call.query ? { querystring: call.query } : {}),
      ...(call.body ? { body: call.body, headers: z.object({ 'idempotency-key': IdempotencyKey }) } : {}),
      response: { 200: call.output, '4xx': ErrorReply, '5xx': ErrorReply },
    },
    onRequest: async (request, reply) => {
      addDeprecationHeaders(reply, call)
      const key = await authenticate(world, header(request, 'authorization'), limitKeys(request.ip))
      requireScope(key, call.scope)
      keys.set(request, key)
    },
    preValidation: async (request) => {
      refuseUnknown('parameter', request.query, call.query)
      if (call.body) refuseUnknown('field', request.body, call.body)
    },
    ...(call.method === 'GET' && !call.isNew ? { onSend: tagContent } : {}),
    handler: async (request, reply) => {
      const { params, query, body } = request as { params?: object; query?: object; body?: object }
      return answer({ ...params, ...query, ...body }, request, reply)
    },
  })
}

const keys = new WeakMap<FastifyRequest, ApiKey>()

function keyOf(request: FastifyRequest): ApiKey {
  const key = keys.get(request)
  if (!key) throw new Error('No key was checked for this call.')
  return key
}

/** Makes a change once for each Idempotency-Key of an API key. */
async function answerOnce(
  world: World,
  { key, request }: ApiRequest,
  reply: FastifyReply,
  work: (world: World, by: Acting) => Promise<Content>,
) {
  const { method, routeOptions, params, body } = request
  const content = JSON.stringify([method, routeOptions.url, params, Object.entries(body ?? {}).sort()])
  const asked = { key_id: key.id, idempotency_key: header(request, 'idempotency-key'), content }
  const { answer, isRepeat } = await once({ ...world, db: exactly(world.db) }, asked, (world) =>
    work(world, actingFor(key)),
  )
  if (isRepeat) reply.header('idempotent-replayed', 'true')
  return answer
}

/** Refuses misspelled names: without its filter a list would be too long, and a change would change too little. */
function refuseUnknown(kind: 'parameter' | 'field', sent: unknown, schema: z.ZodMiniObject | undefined) {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return
  const known = Object.keys(schema?.shape ?? {})
  for (const [name, value] of Object.entries(sent)) {
    const shown = name.replaceAll('\0', '').slice(0, 60)
    if (!known.includes(name))
      throw refuseField(
        shown,
        `There is no ${kind} '${shown}' here. ${known.length ? `You can use ${known.join(', ')}.` : 'This call has none.'}`,
      )
    if (kind === 'parameter' && Array.isArray(value)) throw refuseField(name, `Please send ${name} once.`)
    if (typeof value === 'string' && value.includes('\0'))
      throw refuseField(name, `${name} must not contain a zero byte.`)
  }
}

/** A reader that sends the tag back gets 304 while nothing has changed. */
async function tagContent(request: FastifyRequest, reply: FastifyReply, content: unknown) {
  if (reply.statusCode !== 200 || typeof content !== 'string') return content
  const tag = `"${sha256(content).slice(0, 27)}"`
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  const known = header(request, 'if-none-match').split(',')
  if (!known.some((one) => one.trim().replace(/^W\//, '') === tag)) return content
  reply.code(304).removeHeader('content-type')
  return ''
}

/** RFC 9745 and RFC 8594. */
function addDeprecationHeaders(reply: FastifyReply, { deprecated }: ApiCall) {
  if (!deprecated) return
  const time = (day: string) => new Date(`${day}T00:00:00Z`)
  reply.headers({
    deprecation: `@${time(deprecated.since).getTime() / 1000}`,
    sunset: time(deprecated.sunset).toUTCString(),
    link: `<${deprecated.guide}>; rel="deprecation"; type="text/html"`,
  })
}

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Other sites' pages can't call this, so OPTIONS lists only the methods. */
function refuseOtherMethods(v1: FastifyInstance, url: string, calls: ApiCall[]) {
  const offered = calls.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = offered.join(', ')
  const schema = { hide: true }
  v1.options(url, { schema }, async (_request, reply) => reply.header('allow', allow).code(204).send())
  v1.route({
    method: METHODS.filter((method) => !offered.includes(String(method))),
    url,
    schema,
    handler: async (_request, reply) => {
      reply.header('allow', allow)
      throw new Refusal(405, `This address doesn’t support this method. It supports ${allow}.`)
    },
  })
}

/** The message is the first wrong field's sentence. A wrong id in the path is a 404. */
function replyToApiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  return replyToError(explained(error) as FastifyError, request, reply)
}

function explained(error: FastifyError): Error {
  if (error instanceof OperatorError) return new Refusal(409, error.message)
  if (!hasZodFastifySchemaValidationErrors(error)) return error
  const issues = error.validation.map(({ instancePath, message = '' }) => ({ path: [instancePath.slice(1)], message }))
  const [first] = issues
  if (!first?.path[0]) return error
  if (error.validationContext === 'params') return new Refusal(404, first.message)
  return new Refusal(422, first.message, { fields: messagesByField(issues) })
}
