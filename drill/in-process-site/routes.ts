import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { API, type Call, calls } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { messageCalls } from '#contract/message-calls.ts'
import { officeCalls } from '#contract/office/office.ts'

/** A route, and what the contract says about its input. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  fields: Record<string, Field>
  /** How often it is requested, relative to the others. */
  weight: number
  /** The name under which its answers are reported. */
  name: string
}
export type Field = { type?: string; maxLength?: number; enum?: string[]; const?: string; maximum?: number }

const isFile = /\.(?:js|svg)(?:\.gz|\.br)?$/

/** The first pattern that matches decides. Slow pages are requested less often. */
const weights: [RegExp, number][] = [
  [/^\/(?:metrics|api\/docs|api\/openapi\.json|__outbox|__clock|__payments(?:\.json)?$)/, 0.005],
  [isFile, 0.004],
  [/\/add-enrollment$/, 2],
  [/^\/(?:office|:sponsor_site)/, 0.4],
]

/** All routes, read from the application itself, so that none is missing. */
export const routesOf = (app: FastifyInstance): Route[] =>
  parseRouteTree(app.printRoutes({ commonPrefix: false })).map(({ path, methods }) => ({
    method: methods.includes('POST') ? 'POST' : 'GET',
    path,
    fields: fieldsOf(path),
    name: isFile.test(path) ? 'files' : path,
    weight: weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1,
  }))

const INDENT = 4

/** Turns the tree that the router prints into paths. */
function parseRouteTree(tree: string) {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, branch = '', part = '', methods = ''] = /^([│ ]*[├└]── )(.*) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (!branch) return []
    const depth = branch.length / INDENT - 1
    const path = (parents[depth - 1] ?? '') + part
    parents[depth] = path
    return [{ path, methods }]
  })
}

/** Calls have the same names in the office and in the console. */
const byPath = new Map(
  [calls, messageCalls, officeCalls, consoleCalls].flatMap((some) =>
    Object.values<Call>(some).map((call): [string, Call] => [`${API}${call.path}`, call]),
  ),
)

/** Fields of pages that are not calls of the contract. */
const pageFields: Record<string, Record<string, Field>> = {
  '/__outbox': { to: { maxLength: 100 } },
  '/__outbox.json': { to: { maxLength: 100 } },
  '/__payments/review': { transaction_id: { maxLength: 100 }, verdict: { enum: ['approve', 'decline'] } },
}

function fieldsOf(path: string): Record<string, Field> {
  const call = byPath.get(path)
  if (!call) return pageFields[path] ?? {}
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' })
  return (schema.properties ?? {}) as Record<string, Field>
}
