import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '#server/db/away.ts'
import { newPatience, type Patience, withPatience } from '#server/db/outage.ts'
import { oneMoment, type Refusal, unfinished } from '#server/refusal.ts'
import { header, isSafe } from './request.ts'

const patiences = new WeakMap<FastifyRequest, Patience>()

function patienceOf(request: FastifyRequest): Patience {
  const patience = patiences.get(request) ?? newPatience()
  patiences.set(request, patience)
  return patience
}

/** While the database moves, every request waits a few seconds for it. Reading a body loses the context, so it's set twice. */
export function addPatience(app: FastifyInstance) {
  app.addHook('onRequest', (request, _reply, done) => withPatience(patienceOf(request), done))
  app.addHook('preHandler', (request, _reply, done) => withPatience(patienceOf(request), done))
}

/**
 * What the visitor hears if the database was away for longer. What the request counted is taken back. The same request may be sent
 * again if it changed nothing or has a key, by which what it changed is found.
 */
export function refusalWhileAway(error: unknown, request: FastifyRequest): Refusal | undefined {
  if (!isDatabaseAway(error)) return undefined
  const { undo, hasWritten } = patienceOf(request)
  for (const takeBack of undo) void takeBack()
  undo.clear()
  const mayRepeat = isSafe(request) || header(request, 'idempotency-key') !== '' || !hasWritten
  request.log.warn({ err: error, mayRepeat }, 'the database is away')
  return mayRepeat ? oneMoment() : unfinished()
}
