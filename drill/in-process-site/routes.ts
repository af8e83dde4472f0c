import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { API, type Call, calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office-calls.ts'

/** A route as it is asked, and what the contract says about its input. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  fields: Record<string, Field>
  /** How often it is asked beside the others. */
  weight: number
  /** Under which name its answers are told. */
  name: string
}
export type Field = { type?: string; maxLength?: number; enum?: string[]; const?: string; maximum?: number }

const isFile = /\.(?:js|svg)(?:\.gz|\.br)?$/

/** How often a route is asked, by the first pattern that fits: what lists or draws much less often than what is quick. */
const weights: [RegExp, number][] = [
  [/^\/(?:metrics|api\/docs|api\/openapi\.json|__outbox|__payments$)/, 0.005],
  [isFile, 0.004],
  [/\/add-enrollment$/, 2],
  [/^\/(?:office|:sponsor_site)/, 0.4],
]

/** Every route there is, read from the application itself, so that none is forgotten. */
export const routesOf = (app: FastifyInstance): Route[] =>
  addresses(app.printRoutes({ commonPrefix: false })).map(({ path, methods }) => ({
    method: methods.includes('POST') ? 'POST' : 'GET',
    path,
    fields: fieldsOf(path),
    name: isFile.test(path) ? 'files' : path,
    weight: weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1,
  }))

const STEP = 4

/** The tree that the router prints, as addresses. */
function addresses(tree: string) {
  const stems: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, branch = '', part = '', methods = ''] = /^([│ ]*[├└]── )(.*) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (!branch) return []
    const depth = branch.length / STEP - 1
    const path = (stems[depth - 1] ?? '') + part
    stems[depth] = path
    return [{ path, methods }]
  })
}

const byPath = new Map<string, Call>(
  Object.values<Call>({ ...calls, ...officeCalls }).map((call) => [`${API}${call.path}`, call]),
)

/** What pages take that are no calls. */
const beside: Record<string, Record<string, Field>> = {
  '/__outbox': { to: { maxLength: 100 } },
  '/__outbox.json': { to: { maxLength: 100 } },
  '/__payments/review': { transaction_id: { maxLength: 100 }, verdict: { enum: ['approve', 'decline'] } },
}

function fieldsOf(path: string): Record<string, Field> {
  const call = byPath.get(path)
  if (!call) return beside[path] ?? {}
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' })
  return (schema.properties ?? {}) as Record<string, Field>
}
