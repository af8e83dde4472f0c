import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ErrorReply } from '#contract/api.ts'
import { messagesByField } from '#contract/fields.ts'
import { isPoolExhausted } from '#server/db/away.ts'
import { Refusal, refuseFields, tooBusy } from '#server/refusal.ts'
import { refusalWhileAway } from './patience.ts'

const UNREADABLE = 'This request could not be read. Please send valid JSON.'
const NOT_FOUND = 'There is nothing at this address.'
const SERVER_ERROR = 'Something went wrong on our side. Please try again in a moment.'

/** Better sentences for requests that could not be read. */
const sentences: Record<number, string> = {
  404: NOT_FOUND,
  405: 'This address does not support this method.',
  408: 'The request took too long.',
  413: 'This request is too large. Please send at most 64 kB.',
  415: 'Please send JSON, with the content type application/json.',
  431: 'The headers of this request are too large.',
}

/** Every failure of a call becomes a status, a sentence and messages by field. Bugs stay in the log. */
export function replyToError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, retryAfter } = toReply(refusalWhileAway(error, request) ?? error)
  if (status === 500) request.log.error({ err: error }, 'request failed')
  if (retryAfter) reply.header('retry-after', String(retryAfter))
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

function toReply(error: FastifyError | Refusal): { status: number; body: ErrorReply; retryAfter?: number | undefined } {
  if (error instanceof Refusal) {
    const { fields, retryAfter, body } = error.details
    return {
      status: error.status,
      body: { ...body, message: error.message, ...(fields ? { fields } : {}) },
      retryAfter,
    }
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map(({ instancePath, message = '' }) => ({
      path: [instancePath.slice(1)],
      message,
    }))
    if (issues.some(({ path }) => !path[0])) return { status: 400, body: { message: UNREADABLE } } // the body is not an object
    return toReply(refuseFields(messagesByField(issues)))
  }
  if (isPoolExhausted(error)) return toReply(tooBusy())
  const status = error.statusCode && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500
  return { status, body: { message: sentences[status] ?? (status < 500 ? UNREADABLE : SERVER_ERROR) } }
}

export const notFoundReply: ErrorReply = { message: NOT_FOUND }

type Headers = Record<string, string>

/** For a URL that could not be read, so that no route was found. */
export function replyToUnreadable(error: FastifyError, reply: FastifyReply, headers: Headers): FastifyReply {
  const { status, body } = toReply(error)
  return reply.code(status).headers(headers).type('application/json').send(JSON.stringify(body))
}

/** We and a proxy must agree on which site is meant. */
export const replyToWrongHosts = (reply: FastifyReply): FastifyReply =>
  reply
    .code(400)
    .type('application/json')
    .send(JSON.stringify({ message: 'This request needs one Host header.' }))

/** A reply without Fastify, after which the connection closes. */
function rawReply(message: string, headers: Headers) {
  const body = JSON.stringify({ message })
  const length = String(Buffer.byteLength(body))
  const replyHeaders = { 'content-type': 'application/json', 'content-length': length, connection: 'close' }
  return { body, headers: { ...headers, ...replyHeaders } }
}

/** For an Expect header other than 100-continue. */
export function replyToExpectation(response: ServerResponse, headers: Headers): void {
  const reply = rawReply('This server does not support this Expect header.', headers)
  response.writeHead(417, reply.headers).end(reply.body)
}

/** By the parser's error code. Any other is 400. */
const statuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/** For input that is not HTTP, too large or too slow. There is no request to reply to, only a socket. */
export function replyToMalformed({ code }: { code: string }, socket: Socket, headers: Headers): void {
  const status = statuses[code] ?? 400
  const reply = rawReply(sentences[status] ?? 'This request could not be read.', headers)
  const lines = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
  if (socket.writable) socket.write(head + reply.body)
  socket.destroy()
}
