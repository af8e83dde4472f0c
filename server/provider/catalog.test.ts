import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createApp } from '#server/site/app.ts'
import { type ProviderSite, providerSite } from '#server/test/provider.ts'
import { plainShell } from '#server/test/site.ts'

let site: ProviderSite
let app: FastifyInstance
beforeAll(async () => {
  site = await providerSite({ AUTOSHIP: 'on', OPERATOR_NAME: 'Juniper Club' })
})
afterAll(() => site.close())
beforeEach(async () => {
  app = await createApp({ world: site.world, shell: plainShell }) // knows nothing of the host yet
})
afterEach(async () => {
  site.host.fail(undefined)
  await app.close()
})

const open = async (url: string, headers = {}) => app.inject({ url, headers })
const startIn = ({ body }: { body: string }) => JSON.parse(/id="start">(.*)<\/script>/.exec(body)?.[1] ?? '{}')
const asked = (call: string) => site.host.seen.requests.filter((request) => request.call === call).length
/** Until the background has done its work. */
const until = async (isDone: () => boolean) => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))
}

it('26.20 the page knows where members sign in, if the operator has set it', async () => {
  const other = await providerSite({ OFFICE_URL: 'https://office.host.example' })
  expect(startIn(await other.get('/ana')).policy).toMatchObject({ office_url: 'https://office.host.example' })
  await other.close()
  expect(startIn(await open('/ana')).policy).not.toHaveProperty('office_url')
})

it('26.2 the first page has sponsor, packages and total; no one waits for a host that answered a minute ago', async () => {
  const start = startIn(await open('/ana'))
  expect(start).toMatchObject({
    sponsor: { site: 'ana', active: 'Yes', name: 'ana' },
    product_id: 34,
    grand_total: '99.00',
  })
  expect(start.policy).toMatchObject({ provider: true })
  expect(start.test_payments).toBe(false)
  expect(startIn(await open('/master')).sponsor.name).toBe('Juniper Club')
  const before = asked('packages')
  await Promise.all(Array.from({ length: 20 }, () => open('/ana')))
  expect(asked('packages')).toBe(before)

  site.advance(60)
  site.host.fail('silence')
  Object.assign(site.world.config, { PROVIDER_DEADLINE: 3600 }) // a page that waited would never come
  expect(startIn(await open('/ana')).grand_total).toBe('99.00')
  await until(() => asked('packages') > before)
  expect(asked('packages')).toBe(before + 1)
})

it('26.2 while the host is away, pages show what it said last, however long ago', async () => {
  await open('/ana')
  site.advance(86_400)
  site.host.fail('status_503')
  expect(startIn(await open('/ana'))).toMatchObject({ sponsor: { site: 'ana' }, grand_total: '99.00' })
  site.host.fail(undefined)
  site.advance(60)
  const before = asked('sponsor')
  await open('/ana')
  await until(() => asked('sponsor') > before)
})

it('26.2 a page is sent without its start data if the host says nothing for three seconds', async () => {
  site.host.fail('sponsor_lost')
  expect(startIn(await open('/ana'))).toMatchObject({ sponsor_site: 'ana', policy: { provider: true } })
})

it('26.3 a price is what the host says of an order for that package alone', async () => {
  const { packages } = startIn(await open('/ana'))
  const shown = packages.map(({ product_id, name, price, billing_interval }: Record<string, unknown>) => [
    ...[product_id, name, price, billing_interval],
  ])
  expect(shown).toEqual([
    [34, 'Package 34', '99.00', 'unknown'],
    [35, 'Package 35', '149.00', 'unknown'],
    [41, 'Package 41', '24.00', 'unknown'], // SPECIAL is off, so 52 isn't there
  ])
  const list = await open('/api/enrollment/enrollment_packages?product_category_id=17&language_id=1')
  expect(list.json()).toEqual(packages)
  const other = await open('/api/enrollment/enrollment_packages?product_category_id=1&language_id=1')
  expect(other.json()).toEqual([])
})

it('26.4 a sponsor who has moved or does not exist leads where the host says', async () => {
  expect((await open('/anna')).headers.location).toBe('/ana')
  const unknown = await open('/nobody')
  expect([unknown.headers.location, String(unknown.headers['set-cookie'])]).toEqual([
    '/master',
    expect.stringContaining('foyer_unknown_site=nobody'),
  ])
  expect(startIn(await open('/sam')).sponsor.active).toBe('No')
})

it('26.4 the page offers the active sponsor whose link was opened first', async () => {
  const cookie = String((await open('/ana')).headers['set-cookie']).split(';')[0]
  const later = startIn(await open('/master', { cookie }))
  expect(later.earlier_sponsor).toEqual({ site: 'ana', name: 'ana' })
})

it('26.5 the legal documents are sanitized, and have a fingerprint that follows their text', async () => {
  site.host.fail('document_with_script')
  const reply = (await open('/api/enrollment/get-all-legal-documents')).json()
  expect(reply.map(({ content }: { content: string }) => content)).toEqual([
    '<p>Be fair to each other.</p>',
    '<p>We keep what the law asks for.</p>',
    '<p>For members.</p>',
  ])
  expect(reply[0]).toMatchObject({
    title: 'Terms of Use',
    status: 'active',
    display_on_checkout: ['enrollment_page_checkout'],
  })
  expect(new Set(reply.map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(3)
})

it('26.6 pictures of packages come from our origin, and only those that the host has named', async () => {
  const [first] = startIn(await open('/ana')).packages
  expect(first.image_url).toMatch(/^\/assets\/packages\/[0-9a-f]{20}$/)
  const picture = await open(first.image_url)
  expect(picture.body).toContain('<svg')
  expect(picture.headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=3600',
  })
  expect(picture.headers['content-security-policy']).toContain('sandbox')
  site.host.fail('silence')
  expect((await open(first.image_url)).body).toBe(picture.body)
  expect((await open('/assets/packages/0123456789abcdef0123')).statusCode).toBe(404)
})

it.each(['package_image_elsewhere', 'package_without_image'] as const)(
  '26.6 %s: a quiet picture stands in',
  async (fault) => {
    site.host.fail(fault)
    const [first] = startIn(await open('/ana')).packages
    const picture = await open(first.image_url)
    expect([picture.statusCode, picture.headers['cache-control']]).toEqual([200, 'public, max-age=60'])
    expect(picture.body).toContain('<svg')
  },
)
