import { createHash, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createApp } from '#server/site/app.ts'
import { testBrowser } from '#server/test/browser.ts'
import { allRows } from '#server/test/database-rows.ts'
import { type ProviderSite, providerSite } from '#server/test/provider.ts'
import { plainShell } from '#server/test/site.ts'
import { beginAttempt, findAttempts, loseOverdue } from './attempts.ts'

let site: ProviderSite
beforeAll(async () => {
  site = await providerSite({
    PROVIDER_HIDDEN_FIELDS: '{"level":"Member","catid":17}',
    PROVIDER_HEADERS: '{"x-api-key":"k1"}',
  })
})
afterAll(() => site.close())
afterEach(() => site.host.fail(undefined))

const keyOf = (id: string, attempt = 1) => ({ 'idempotency-key': `${id}.${attempt}` })
const pay = async (form: Record<string, string>, id: string, attempt = 1) => {
  const reply = await site.post('enrollment/add-enrollment', form, keyOf(id, attempt))
  return { status: reply.statusCode, ...reply.json() }
}
const statusOf = async (id: string, attempt = 1) =>
  (await site.get('/api/enrollment/status', keyOf(id, attempt))).json()
const sentOrders = () => site.host.seen.requests.filter(({ call }) => call === 'add_enrollment')

const ours = [
  'captcha',
  'hall_lantern',
  'hall_umbrella',
  'shown_total',
  'shown_texts',
  'shown_consent',
  'after_unknown',
]

it('26.9 the host gets the forty fields, the hidden ones and the headers, and nothing of ours', async () => {
  const form = await site.form({ shown_total: '99.00', cc_number: '4242-4242 4242 4242' })
  expect(await pay(form, randomUUID())).toMatchObject({ status: 200, payment: 'Approved' })
  const request = sentOrders().at(-1)
  const fields = JSON.parse(request?.body ?? '{}')
  expect(Object.keys(fields)).toHaveLength(42)
  expect(Object.keys(fields).filter((name) => ours.includes(name))).toEqual([])
  expect(fields).toMatchObject({
    ...{ level: 'Member', catid: '17', cc_number: '4242424242424242', credit_card_expiration: '12/28' },
    ...{ bill_address: '1600 Main St', ship_address: '1600 Main St', agreement_3: '0', is_shipping_different: '0' },
  })
  expect(request?.headers).toMatchObject({ 'x-api-key': 'k1', 'content-type': 'application/json' })
  for (const name of ['cookie', 'x-forwarded-for', 'idempotency-key']) expect(request?.headers).not.toHaveProperty(name)
})

it('26.10 many presses of one key at the same time are one request to the host', async () => {
  const before = sentOrders().length
  const [id, forms] = [randomUUID(), await Promise.all(Array.from({ length: 5 }, () => site.form()))]
  const [first] = forms
  const replies = await Promise.all(forms.map(({ captcha }) => pay({ ...first, captcha: captcha ?? '' }, id)))
  expect(new Set(replies.map(({ payment }) => payment))).toEqual(new Set(['Approved', 'Pending']))
  expect(sentOrders().length - before).toBe(1)
  expect(await pay({ ...first, captcha: await site.captcha() }, id)).toMatchObject({ payment: 'Approved', token: '' })
  expect(sentOrders().length - before).toBe(1)
})

it('26.10 while a press is under way, the status never says that nothing was charged', async () => {
  const app = await createApp({ world: site.world, shell: plainShell }) // knows nothing of the host yet, and has to ask
  const id = randomUUID()
  const form = await site.form()
  site.host.fail('late')
  const status = async () => (await app.inject({ url: '/api/enrollment/status', headers: keyOf(id) })).json()
  const before = site.host.seen.requests.length
  const paying = app.inject({
    method: 'POST',
    url: '/api/enrollment/add-enrollment',
    payload: form,
    headers: keyOf(id),
  })
  void paying.then(() => undefined) // sends it
  while (site.host.seen.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await status()).toMatchObject({ state: 'running' })
  expect((await paying).statusCode).toBe(502)
  expect(await status()).toMatchObject({ state: 'none', attempt: 1 })
  await app.close()
})

it('26.11 after a lost answer nothing is sent until the visitor was warned about that very attempt', async () => {
  const id = randomUUID()
  const form = await site.form()
  const again = async (changes = {}) => ({ ...form, captcha: await site.captcha(), ...changes })
  site.host.fail('payment_lost')
  const { reference, ...lost } = await pay(form, id)
  expect(lost).toEqual({ status: 202, payment: 'Unknown', token: '', vo_url: '' })
  expect(reference).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/)
  expect(site.hostLines().at(-1)).toMatchObject({ reference, path: '/enrollment/add-enrollment' })
  const sent = sentOrders().length
  expect(await statusOf(id)).toMatchObject({ state: 'unknown', attempt: 2, reply: { payment: 'Unknown', reference } })
  for (const attempt of [1, 2, 3]) expect(await pay(await again(), id, attempt)).toMatchObject({ reference })
  expect(await pay(await again({ after_unknown: 'AAAA-AAAA' }), id, 2)).toMatchObject({ reference })
  expect(await pay(await again({ after_unknown: reference }), id, 1)).toMatchObject({ reference })
  expect(sentOrders()).toHaveLength(sent)

  const second = await pay(await again({ after_unknown: reference }), id, 2)
  expect(second).toMatchObject({ payment: 'Unknown' })
  expect(second.reference).not.toBe(reference)
  expect(sentOrders()).toHaveLength(sent + 1)
  expect(await pay(await again({ after_unknown: reference }), id, 3)).toMatchObject({ reference: second.reference })
  expect(sentOrders()).toHaveLength(sent + 1)
  site.host.fail(undefined)
  const third = await pay(
    await again({ after_unknown: second.reference, email: `${randomUUID()}@mail.example`, username: 'other1' }),
    id,
    3,
  )
  expect(third).toMatchObject({ payment: 'Approved' })
})

it('26.12 an enrollment that a killed process has sent becomes unknown after the deadline, in whichever process', async () => {
  const id = randomUUID()
  const reference = await beginAttempt(site.world, { enrollment_id: id, attempt: 1 }, undefined)
  expect(await statusOf(id)).toMatchObject({ state: 'running', attempt: 1 })
  expect(await pay(await site.form(), id)).toMatchObject({ status: 202, payment: 'Pending' })
  site.advance(site.world.config.PROVIDER_DEADLINE + 6)
  expect(await statusOf(id)).toMatchObject({ state: 'unknown', attempt: 2, reply: { reference } })
  expect(site.hostLines().at(-1)).toMatchObject({ reference })

  const unseen = randomUUID()
  const other = await beginAttempt(site.world, { enrollment_id: unseen, attempt: 1 }, undefined)
  site.advance(site.world.config.PROVIDER_DEADLINE + 6)
  expect(await loseOverdue(site.world)).toBe(1) // the worker does this if no page asks
  expect(site.hostLines().at(-1)).toMatchObject({ reference: other })
})

it('26.12 a site that stops waits for the host’s answer', async () => {
  const app = await createApp({ world: site.world, shell: plainShell })
  for (const url of ['/ana', '/api/enrollment/get-all-legal-documents']) await app.inject(url)
  const [id, form, sent] = [randomUUID(), await site.form(), sentOrders().length]
  site.host.fail('payment_silent')
  const payload = { method: 'POST', url: '/api/enrollment/add-enrollment', payload: form, headers: keyOf(id) } as const
  const paying = app.inject(payload).then((reply) => reply.json())
  while (sentOrders().length === sent) await new Promise((resolve) => setTimeout(resolve, 5))
  await app.close()
  const [attempt] = await findAttempts(site.db, id)
  expect(attempt?.state).toBe('unknown') // written before the database is closed
  expect(await paying).toMatchObject({ payment: 'Unknown' })
})

it('26.13 a host that can’t be reached has charged nothing, and the same key may be sent again', async () => {
  const id = randomUUID()
  await site.get('/ana')
  await site.get('/api/enrollment/get-all-legal-documents')
  const { PROVIDER_API_URL } = site.world.config
  const config = { ...site.world.config, PROVIDER_API_URL: 'http://127.0.0.1:9/v1' }
  const form = await site.form()
  const away = await createApp({ world: { ...site.world, config }, shell: plainShell })
  const reply = await away.inject({
    method: 'POST',
    url: '/api/enrollment/add-enrollment',
    payload: form,
    headers: keyOf(id),
  })
  expect([reply.statusCode, reply.json().message]).toEqual([
    502,
    'There was an error processing your payment. Please try again later.',
  ])
  await away.close()
  expect(PROVIDER_API_URL).toBe(site.host.url)
  expect(await statusOf(id)).toMatchObject({ state: 'none', attempt: 1 })
  expect(await pay({ ...form, captcha: await site.captcha() }, id)).toMatchObject({ payment: 'Approved' })
})

it('26.14 a refusal with a message charges nothing: its message is shown, and the next press is the same attempt', async () => {
  const id = randomUUID()
  site.host.fail('payment_refused')
  expect(await pay(await site.form(), id)).toMatchObject({ status: 422, message: 'The address is unknown.' })
  expect(await statusOf(id)).toMatchObject({ state: 'none', attempt: 1 })
  site.host.fail(undefined)
  expect(await pay(await site.form(), id)).toMatchObject({ payment: 'Approved' })
})

it('26.15 a decline at the host counts against the card, and needs a new attempt', async () => {
  const strict = await providerSite({ LIMIT_DECLINES_BY_CARD: '3/86400' })
  const { host } = strict
  const id = randomUUID()
  const declined = async (attempt: number, enrollment = id) => {
    const form = await strict.form({ cc_number: '4000000000000002' })
    const reply = await strict.post('enrollment/add-enrollment', form, keyOf(enrollment, attempt))
    return { status: reply.statusCode, ...reply.json() }
  }
  const sent = () => host.seen.requests.filter(({ call }) => call === 'add_enrollment').length
  expect(await declined(1)).toMatchObject({ payment: 'Declined', decline_class: 'bank' })
  expect((await strict.get('/api/enrollment/status', keyOf(id))).json()).toMatchObject({
    state: 'declined',
    attempt: 2,
  })
  expect(await declined(1)).toMatchObject({ payment: 'Declined' })
  expect(sent()).toBe(1)
  for (const attempt of [2, 3]) expect(await declined(attempt)).toMatchObject({ payment: 'Declined' })
  expect(await declined(1, randomUUID())).toMatchObject({ status: 429 })
  expect(sent()).toBe(3)
  await strict.close()
})

it('26.16 the token is given for two minutes, to the browser that joined, and is never at rest', async () => {
  const browser = testBrowser(site)
  const { body } = await browser.open('/ana')
  const id = /name="enrollment" content="([^"]+)"/.exec(body)?.[1] ?? ''
  const form = await site.form()
  const { token, vo_url } = (await browser.post('enrollment/add-enrollment', form)).json()
  expect([vo_url, token.length > 10]).toEqual([`https://office.host.example/${form.username}`, true])
  const office = await browser.redirectOf('/ana/office', { 'sec-fetch-site': 'same-origin' })
  expect(office).toBe(`${vo_url}/autologin/grant-access/${token.replaceAll('.', '~')}`)
  expect(await statusOf(id)).toMatchObject({ state: 'approved', reply: { token: '', vo_url: '' } }) // no cookie
  expect((await browser.open('/ana')).body).toContain(`"joined_as":"${form.username}"`)

  const rows = JSON.stringify(await allRows(site.db))
  const values = [
    form.email,
    form.username,
    form.password,
    form.first_name,
    form.address,
    '4242',
    token,
    vo_url,
    '2025550123',
  ]
  for (const value of values) expect(rows).not.toContain(value)
  const hash = createHash('sha256').update('4242424242424242').digest('hex')
  expect(rows).not.toContain(hash)
  expect(site.log()).not.toContain(token)

  site.advance(121)
  expect(await browser.redirectOf('/ana/office', { 'sec-fetch-site': 'same-origin' })).toBe('http://foyer.test/office')
  expect(await statusOf(id)).toMatchObject({ state: 'approved', reply: { token: '' } })
})

it('26.17 a total, a document or a consent that is no longer the one on the screen is not sent', async () => {
  const sent = sentOrders().length
  const changes: Record<string, string>[] = [
    { shown_total: '98.00' },
    { shown_texts: 'other' },
    { shown_consent: 'other' },
    { product_ids: '' },
    { sponsor_site_name: 'sam' },
    { captcha: 'wrong' },
    { hall_lantern: 'filled' },
  ]
  for (const changed of changes)
    expect(await pay(await site.form(changed), randomUUID())).toMatchObject({ status: 422 })
  expect(sentOrders()).toHaveLength(sent)
})

it('26.9 with PROVIDER_ENCODING=form the host gets forms', async () => {
  const formSite = await providerSite({ PROVIDER_ENCODING: 'form' })
  const reply = await formSite.post('enrollment/add-enrollment', await formSite.form(), keyOf(randomUUID()))
  expect(reply.json()).toMatchObject({ payment: 'Approved' })
  const [order] = formSite.host.seen.orders
  expect(Object.keys(order?.fields ?? {})).toHaveLength(40)
  expect(order?.fields).toMatchObject({ first_name: 'Zoë', address: '1600 Main St' })
  const types = formSite.host.seen.requests.filter(({ body }) => body).map(({ headers }) => headers['content-type'])
  expect(new Set(types)).toEqual(new Set(['application/x-www-form-urlencoded']))
  await formSite.close()
})
