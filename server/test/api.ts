import { randomUUID } from 'node:crypto'
import { V1 } from '#contract/connect/api.ts'
import { type Scope, scopeNames } from '#contract/connect/keys.ts'
import { commandLine } from '#server/audit/audit.ts'
import { createKey } from '#server/connect/keys/manage-keys.ts'
import type { Site } from './site.ts'

let count = 0

/** Another system of the operator, with a key of its own. */
export async function otherSystem(site: Site, scopes: Scope[] = [...scopeNames]) {
  const { id, key } = await createKey(site.world, { name: `System ${++count}`, scopes }, commandLine)
  const ask = (method: 'GET' | 'HEAD' | 'POST' | 'PATCH', path: string, headers: object = {}, payload?: object) =>
    site.ask({
      method,
      url: `/api${V1}${path}`,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(payload ? { payload } : {}),
    })
  return {
    id,
    key,
    name: `System ${count}`,
    ask,
    get: (path: string, headers: object = {}) => ask('GET', path, headers),
    /** A change, with an Idempotency-Key of its own unless one is named. */
    post: (path: string, payload: object, idempotency_key: string = randomUUID()) =>
      ask('POST', path, { 'idempotency-key': idempotency_key }, payload),
    patch: (path: string, payload: object, idempotency_key: string = randomUUID()) =>
      ask('PATCH', path, { 'idempotency-key': idempotency_key }, payload),
  }
}
export type OtherSystem = Awaited<ReturnType<typeof otherSystem>>
