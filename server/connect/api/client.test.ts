import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiError, type Client, createClient, type Member, pagesOf } from '#contract/connect/client.ts'
import { otherSystem } from '#server/test/api.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { newMember } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'

let site: Site
let client: Client
beforeAll(async () => {
  site = await testSite(generousLimits)
  await site.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = site.app.server.address() as AddressInfo
  client = createClient({ url: `http://127.0.0.1:${port}`, key: (await otherSystem(site)).key })
})
afterAll(() => site.close())

it('32.20 the client reads every page, changes a membership once, and says what went wrong', async () => {
  const { cursor } = await client.listEvents({ after: 'now' })
  const waiting = client.listEvents({ after: cursor, wait: 20, types: 'member.joined' })
  const ids = [(await newMember(site)).id, (await newMember(site)).id]
  const found: Member[] = []
  for await (const { members } of pagesOf((after) => client.listMembers({ limit: 1, after }))) found.push(...members)
  expect(found.map(({ id }) => id).sort()).toEqual(ids.sort())
  expect((await waiting).events[0]).toMatchObject({ type: 'member.joined' })

  const [id = ''] = ids
  const options = { idempotency_key: 'called-twice' }
  const canceled = await client.cancelMembership(id, { reason: 'asked for it' }, options)
  expect(canceled.state).toBe('canceled')
  expect(await client.cancelMembership(id, { reason: 'asked for it' }, options)).toEqual(canceled)
  const again = client.cancelMembership(id, { reason: 'asked for it' })
  await expect(again).rejects.toMatchObject({ status: 409, message: expect.stringContaining('Nothing to change') })
  const wrong = await client.changeDetails(id, { post_code: 'x' }).catch((error: unknown) => error)
  expect(wrong).toBeInstanceOf(ApiError)
  expect((wrong as ApiError).fields).toEqual({ post_code: ['Invalid Post / ZIP code format.'] })
  expect((await client.getLine(id, { direction: 'up' })).top).toEqual({ site: 'ana' })
})

it('32.20 an answer that was cut off is an error for the client, not the end of a list', async () => {
  const cut = createClient({ url: 'http://foyer.test', key: 'x', fetch: async () => new Response('{"members":[],"ne') })
  await expect(cut.listMembers()).rejects.toThrow()
  const proxy = createClient({
    url: 'http://foyer.test',
    key: 'x',
    fetch: async () => new Response('<p>', { status: 502 }),
  })
  await expect(proxy.listMembers()).rejects.toMatchObject({ status: 502, message: 'The API answered with status 502.' })
})
