// The client of /api/v1: one file of TypeScript that needs nothing but fetch.
import * as z from 'zod/mini'

export function clientOf(calls, module) {
  const shapes = Object.fromEntries(Object.entries(module).sort(([one], [other]) => (one < other ? -1 : 1)))
  const named = namesOf(shapes)
  const types = Object.entries(shapes)
    .filter(([, shape]) => isNamed(shape))
    .map(([name, shape]) => `export type ${name} = ${typeOf(jsonOf(shape, 'output'), namesBut(named, name), '')}\n`)
  const inputs = Object.entries(calls).flatMap(([name, { query, body }]) =>
    [query, body].flatMap((schema) =>
      schema ? [`export type ${inputName(name)} = ${orUndefined(typeOf(jsonOf(schema, 'input'), named, ''))}\n`] : [],
    ),
  )
  const methods = Object.entries(calls).map(([name, call]) => methodOf(name, call, named))
  return `${HEAD}\n${types.join('\n')}\n${inputs.join('\n')}\n${runtime.replace('// METHODS', methods.join('\n'))}`
}

/** Allows undefined, even where a project tells it from an absent field. */
const orUndefined = (type) => type.replace(/^( +\w+\?: .+)$/gm, '$1 | undefined')

const jsonOf = (schema, io) => z.toJSONSchema(schema, { io })
const isNamed = (shape) => typeof shape === 'object' && shape !== null && shape._zod?.def.type === 'object'
const namesOf = (shapes) =>
  new Map(
    Object.entries(shapes).flatMap(([name, shape]) => (isNamed(shape) ? [[keyOf(jsonOf(shape, 'output')), name]] : [])),
  )
const namesBut = (named, own) => new Map([...named].filter(([, name]) => name !== own))
const keyOf = ({ $schema: _, ...json }) => JSON.stringify(json)
const inputName = (name) => `${name[0].toUpperCase()}${name.slice(1)}Input`

function typeOf(json, named, indent) {
  const name = named.get(keyOf(json))
  if (name) return name
  if (json.anyOf) return json.anyOf.map((one) => typeOf(one, named, indent)).join(' | ')
  if (json.enum) return json.enum.map((value) => `'${value}'`).join(' | ')
  if ('const' in json) return `'${json.const}'`
  if (json.type === 'array') {
    const item = typeOf(json.items, named, indent)
    return /^[^{]* \| /.test(item) ? `(${item})[]` : `${item}[]`
  }
  if (json.type === 'object' && json.properties) {
    const inner = `${indent}  `
    const lines = Object.entries(json.properties).map(
      ([field, property]) =>
        `${inner}${field}${json.required?.includes(field) ? '' : '?'}: ${typeOf(property, named, inner)}\n`,
    )
    return lines.length ? `{\n${lines.join('')}${indent}}` : '{}'
  }
  if (json.type === 'object') return 'Record<string, unknown>'
  return (
    { integer: 'number', number: 'number', boolean: 'boolean', string: 'string', null: 'null' }[json.type] ?? 'unknown'
  )
}

function methodOf(name, { method, path, summary, params, query, body, output }, named) {
  const ids = Object.keys(params?.shape ?? {})
  const needsQuery = query && jsonOf(query, 'input').required?.length
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(query ? [`query: ${inputName(name)}${needsQuery ? '' : ' = {}'}`] : []),
    ...(body ? [`body: ${inputName(name)}`, 'options: ChangeOptions = {}'] : ['options: Options = {}']),
  ]
  const url = path.replace(/:(\w+)/g, (_, id) => `\${encodeURIComponent(${id})}`)
  const sent = ['options', ...(query ? ['query'] : body ? ['undefined', 'body'] : [])].join(', ')
  const result = typeOf(jsonOf(output, 'output'), named, '')
  return `    /** ${summary}. */
    ${name}: (${parameters.join(', ')}) =>
      call<${result}>('${method}', \`${url}\`, ${sent}),`
}

const HEAD = `/**
 * A client of /api/v1 in one file that needs nothing but fetch: copy it into your project. Generated from contract/connect by
 * \`node scripts/api.mjs\`.
 */
`

const runtime = `/** A reply other than 2xx, as the API explains it. */
export class ApiError extends Error {
  readonly status: number
  /** Messages by field. */
  readonly fields: Record<string, string[]>
  /** For events, if history has changed: where to continue from. */
  readonly last_common_cursor: string | undefined
  /** How many seconds to wait before the next call. */
  readonly retry_after: number | undefined

  constructor(status: number, body: { message?: string; fields?: Record<string, string[]>; last_common_cursor?: string }, retry_after?: number) {
    super(body.message ?? \`The API answered with status \${status}.\`)
    this.status = status
    this.fields = body.fields ?? {}
    this.last_common_cursor = body.last_common_cursor
    this.retry_after = retry_after
  }
}

export type Options = { signal?: AbortSignal | undefined }
/** The same key means the same change. Without one, each call is a new change. */
export type ChangeOptions = Options & { idempotency_key?: string | undefined }

export type ClientSettings = {
  /** Of the site, such as https://join.example.com. */
  url: string
  key: string
  fetch?: typeof globalThis.fetch
}

export type Client = ReturnType<typeof createClient>

export function createClient({ url, key, fetch = globalThis.fetch }: ClientSettings) {
  async function call<Output>(method: string, path: string, options: ChangeOptions, query: object = {}, body?: object): Promise<Output> {
    const address = new URL(\`/api/v1\${path}\`, url)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, String(value))
    const reply = await fetch(address, {
      method,
      headers: {
        authorization: \`Bearer \${key}\`,
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': options.idempotency_key ?? crypto.randomUUID() } : {}),
      },
      redirect: 'error',
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    })
    if (reply.ok) return (await reply.json()) as Output
    const problem = await reply.json().catch(() => ({}))
    throw new ApiError(reply.status, problem, Number(reply.headers.get('retry-after')) || undefined)
  }

  return {
// METHODS
  }
}

/** All pages of a list: \`for await (const page of pagesOf((after) => client.listMembers({ after })))\` */
export async function* pagesOf<Page extends { next?: string | undefined }>(read: (after: string | undefined) => Promise<Page>): AsyncGenerator<Page> {
  for (let after: string | undefined; ; ) {
    const page = await read(after)
    yield page
    if (!page.next) return
    after = page.next
  }
}
`
