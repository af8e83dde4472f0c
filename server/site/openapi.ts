import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { API } from '#contract/api.ts'
import { brand } from '#contract/brand.ts'
import { apiExamples } from '#contract/connect/examples.ts'
import type { Config } from '#server/config/config.ts'

const info = {
  title: brand.name,
  version: '1',
  description: 'The calls of the enrollment site.',
  license: { name: 'MIT', identifier: 'MIT' },
}

/** The OpenAPI document. Its calls are added to an application of their own, which answers nothing. */
export async function describeCalls(
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
  addCalls: (app: FastifyInstance) => void,
) {
  const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info, servers: [{ url: PUBLIC_URL }], components: { securitySchemes } },
    transform: jsonSchemaTransform,
  })
  await app.register(async (api) => addCalls(api), { prefix: API })
  await app.ready()
  return withExamples(app.swagger() as unknown as Document)
}

const securitySchemes = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key, created in the console.' },
} as const

type Parameter = { name: string; in: string; example?: unknown }
type Content = Record<string, { example?: unknown }>
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Document = { paths: Record<string, Record<string, Operation>> }

/** Those of the API for other systems. */
function withExamples(document: Document) {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  for (const [name, example] of Object.entries<ApiExample>(apiExamples)) {
    const operation = operations.find(({ operationId }) => operationId === `v1.${name}`)
    if (!operation) continue // in front of an operator's API host
    const values: Record<string, unknown> = { ...example.params, ...example.query }
    for (const parameter of operation.parameters ?? [])
      if (parameter.name in values) parameter.example = values[parameter.name]
    setExample(operation.requestBody?.content, example.body)
    setExample(operation.responses[200]?.content, example.output)
  }
  return document
}

type ApiExample = { params?: object; query?: object; body?: object; output: object }

function setExample(content: Content | undefined, example: unknown) {
  const json = content?.['application/json']
  if (json && example) json.example = example
}
