import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { API } from '#contract/api.ts'
import { brand } from '#contract/brand.ts'
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
    openapi: { openapi: '3.1.0', info, servers: [{ url: PUBLIC_URL }] },
    transform: jsonSchemaTransform,
  })
  await app.register(async (api) => addCalls(api), { prefix: API })
  await app.ready()
  return app.swagger()
}
