import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ErrorReply } from '#contract/api.ts'
import { messagesByField } from '#contract/fields.ts'
import { isPoolExhausted } from '#server/db/db.ts'
import { Refusal, refuseFields, tooBusy } from '#server/refusal.ts'

const UNREADABLE = 'This request could not be read. Please send valid JSON.'
const NOTHING = 'There is nothing at this address.'
const OURS = 'Something went wrong on our side. Please try again in a moment.'

/** What a person can do about a request that could not be read, where more can be said than that. */
const sentences: Record<number, string> = {
  404: NOTHING,
  405: 'This address does not take that method.',
  408: 'The request took too long.',
  413: 'This request is too large. Please send at most 64 kB.',
  415: 'Please send JSON, with the content type application/json.',
  431: 'The headers of this request are too large.',
}

/** Every failure of a call becomes a status, a sentence and messages by field. Bugs stay in the log. */
export function replyToError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, retryAfter } = inWords(error)
  if (status === 500) request.log.error({ err: error }, 'a request failed')
  if (retryAfter) reply.header('retry-after', String(retryAfter))
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

function inWords(error: FastifyError | Refusal): { status: number; body: ErrorReply; retryAfter?: number | undefined } {
  if (error instanceof Refusal) {
    const { fields, retryAfter, body } = error.more
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
    if (issues.some(({ path }) => !path[0])) return { status: 400, body: { message: UNREADABLE } } // not an object at all
    return inWords(refuseFields(messagesByField(issues)))
  }
  if (isPoolExhausted(error)) return inWords(tooBusy())
  const status = error.statusCode && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500
  return { status, body: { message: sentences[status] ?? (status < 500 ? UNREADABLE : OURS) } }
}

export const notFoundReply: ErrorReply = { message: NOTHING }

type Headers = Record<string, string>

/** A request that did not even reach a route: its address could not be read. */
export function replyToUnreadable(error: FastifyError, reply: FastifyReply, headers: Headers): FastifyReply {
  const { status, body } = inWords(error)
  return reply.code(status).headers(headers).type('application/json').send(JSON.stringify(body))
}

/** HTTP asks for it. */
export const replyToMissingHost = (reply: FastifyReply): FastifyReply =>
  reply
    .code(400)
    .type('application/json')
    .send(JSON.stringify({ message: 'This request does not say which host it is for.' }))

/** An answer without Fastify, after which we hang up. */
function lastWords(message: string, headers: Headers) {
  const body = JSON.stringify({ message })
  const length = String(Buffer.byteLength(body))
  const own = { 'content-type': 'application/json', 'content-length': length, connection: 'close' }
  return { body, headers: { ...headers, ...own } }
}

/** It wants something else than to be told to go on. */
export function replyToExpectation(response: ServerResponse, headers: Headers): void {
  const answer = lastWords('This server cannot do what the header Expect asks for.', headers)
  response.writeHead(417, answer.headers).end(answer.body)
}

/** What the parser says in codes. All else is 400. */
const statuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/** What was sent is not HTTP, too large or too slow: there is no request to reply to, only who is connected. */
export function replyToMalformed({ code }: { code: string }, socket: Socket, headers: Headers): void {
  const status = statuses[code] ?? 400
  const answer = lastWords(sentences[status] ?? 'This request could not be read.', headers)
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
  if (socket.writable) socket.write(head + answer.body)
  socket.destroy()
}
