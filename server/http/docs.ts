import type { DocumentedCall } from '#contract/pages.ts'

type Json = Record<string, unknown>
const dig = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found !== null ? (found as Json)[name] : undefined),
    value,
  )

/** The calls of an OpenAPI document, ready to be shown. */
export function documentedCalls(document: object): DocumentedCall[] {
  const paths = Object.entries((dig(document, 'paths') ?? {}) as Json)
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, call]) => ({
      method: method.toUpperCase(),
      path,
      summary: String(dig(call, 'summary') ?? ''),
      input: (dig(call, 'requestBody', 'content', 'application/json', 'schema') ??
        fromParameters(dig(call, 'parameters'))) as Json | undefined,
      output: dig(call, 'responses', '200', 'content', 'application/json', 'schema') as Json | undefined,
    })),
  )
}

/** Query and path parameters read like the fields of an object. */
function fromParameters(parameters: unknown): Json | undefined {
  if (!Array.isArray(parameters) || !parameters.length) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}
