import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '#server/config/config.ts'
import { header, refuseOtherSites } from '#server/http/request.ts'
import { refuseField } from '#server/refusal.ts'

/** Support for callers other than our own pages: form bodies, real booleans and numbers, and pages of named origins. */

const FORM = 'application/x-www-form-urlencoded'

type Settings = Pick<Config, 'PUBLIC_URL' | 'CORS_ORIGINS' | 'CAPTCHA'>

/** For the calls at these paths, which are added after this. */
export function welcomeOtherCallers(api: FastifyInstance, settings: Settings, paths: Iterable<string>) {
  api.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, fieldsOf(String(text)))
    } catch (error) {
      done(error as Error)
    }
  })
  api.addHook('onRoute', ({ schema }) => {
    if (schema?.body) schema.consumes = ['application/json', FORM]
  })
  api.addHook('preValidation', async (request) => {
    request.body = asTexts(request.body, settings)
  })
  admitOrigins(api, settings, paths)
}

/** Refuses a field that is sent twice: one of the values would be silently lost. */
function fieldsOf(text: string): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw refuseField(name, 'Please send this field once.')
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

const flags = new Set(['agreement_1', 'agreement_2', 'agreement_3', 'is_shipping_different'])
const flagTexts: Record<string, string> = { true: '1', on: '1', false: '0', '': '0' }

/** What a body means in the texts of the contract: 34 is '34', true is '1', and month 5 is '05'. */
function asTexts(body: unknown, { CAPTCHA }: Settings): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, asText(name, value)]))
  return CAPTCHA === 'off' ? { ...fields, captcha: CAPTCHA } : fields // not a field of the spec, so callers needn't send it
}

function asText(name: string, value: unknown): unknown {
  const isFlag = flags.has(name)
  const isPlain = Number.isSafeInteger(value) || (isFlag && typeof value === 'boolean') // a longer card number has lost its last digits
  const text = isPlain ? String(value) : value
  if (typeof text !== 'string') return value
  if (isFlag) return flagTexts[text] ?? text
  return name === 'cc_month' && /^\d$/.test(text) ? `0${text}` : text
}

/**
 * Pages of the named origins may call us, without cookies: the Idempotency-Key identifies the enrollment. Posts from any other
 * site could carry a visitor's cookies, so they are refused.
 */
function admitOrigins(api: FastifyInstance, { PUBLIC_URL, CORS_ORIGINS }: Settings, paths: Iterable<string>) {
  const isNamed = (request: FastifyRequest) => CORS_ORIGINS.includes(header(request, 'origin'))
  api.addHook('onRequest', async (request, reply) => {
    if (CORS_ORIGINS.length) reply.header('vary', 'Origin')
    if (isNamed(request))
      reply.headers({
        'access-control-allow-origin': header(request, 'origin'),
        'access-control-expose-headers': 'retry-after',
      })
    else if (header(request, 'origin') !== PUBLIC_URL) refuseOtherSites(request)
  })
  if (!CORS_ORIGINS.length) return
  for (const path of new Set(paths))
    api.options(path, { schema: { hide: true } }, async (request, reply) => {
      if (isNamed(request)) reply.headers(preflight)
      return reply.code(204).send()
    })
}

const preflight = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, idempotency-key',
  'access-control-max-age': '7200', // as long as any browser remembers it
}
