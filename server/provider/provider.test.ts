import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProviderSite, providerSite } from '#server/test/provider.ts'

let site: ProviderSite
beforeAll(async () => {
  site = await providerSite({
    PROVIDER_HIDDEN_FIELDS: '{"level":"Member","catid":17}',
    PROVIDER_HEADERS: '{"x-api-key":"k1"}',
  })
})
afterAll(() => site.close())

const key = (attempt = 1, id = randomUUID()) => ({ 'idempotency-key': `${id}.${attempt}` })

it('shows the host’s sponsor, package and total', async () => {
  const page = await site.get('/ana')
  expect(page.statusCode).toBe(200)
  expect(page.body).toContain('Join with ana for 99.00')
  expect(page.body).toContain('"provider":true')
})

it('forwards an enrollment', async () => {
  const form = await site.form()
  const reply = await site.post('enrollment/add-enrollment', form, key())
  expect(reply.json()).toMatchObject({ payment: 'Approved', vo_url: 'https://office.host.example/zoe1' })
})
