import { hash } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import { importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officeAddress } from '#contract/office/address.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { allRows } from '#server/test/database-rows.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const join = async (changes: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), headers)

const memberNamed = (username: string) =>
  site.db.selectFrom('member').selectAll().where('username', '=', username).executeTakeFirst()

/** The version follows the text. */
const versionOf = (sha256 = '') => Number.parseInt(sha256.slice(0, 6), 16)

describe('an approved enrollment', () => {
  it('4.1 10.1 writes member, order, lines, acceptances and payment, and answers Approved', async () => {
    const reply = await join({ username: 'fern', business_name: 'Fern & Co', cc_number: cards.good })
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({
      payment: 'Approved',
      token: expect.stringMatching(/^\S+$/),
      vo_url: 'http://foyer.test/office',
    })

    const member = await memberNamed('fern')
    expect(member).toMatchObject({ first_name: 'Zoë', business_name: 'Fern & Co', level: 'Member', state: 'NV' })
    const membership = await site.db
      .selectFrom('membership')
      .selectAll()
      .where('member_id', '=', member?.id ?? '')
      .executeTakeFirstOrThrow()
    expect(membership).toMatchObject({ state: 'active', anchor_on: '2026-11-15', period: 0, card_last_four: '4242' })
    expect(membership.vault_reference).toMatch(/^vault_/)
    const sponsor = await site.db
      .selectFrom('sponsor')
      .selectAll()
      .where('id', '=', member?.sponsor_id ?? '')
      .executeTakeFirst()
    expect(sponsor?.site).toBe('ana')
    const order = await site.db
      .selectFrom('orders')
      .selectAll()
      .where('member_id', '=', member?.id ?? '')
      .executeTakeFirst()
    expect(order).toMatchObject({ grand_total: 9900, ship_address: '1600 Main St', ship_zip_code: '89501' })
    const lines = await site.db
      .selectFrom('order_line')
      .selectAll()
      .where('order_id', '=', order?.id ?? '')
      .execute()
    expect(lines).toMatchObject([
      { product_id: 34, list: 'product_ids', name: 'Founding Membership', price_cents: 9900, renewal_cents: 9900 },
    ])
    const payment = await site.db
      .selectFrom('payment')
      .selectAll()
      .where('enrollment_id', '=', member?.enrollment_id ?? '')
      .executeTakeFirst()
    expect(payment).toMatchObject({
      state: 'enrolled',
      amount_cents: 9900,
      gateway: 'sandbox',
      details: null,
      password_hash: null,
    })
  })

  it('1.8 makes the username a sponsor’s site at once', async () => {
    await join({ username: 'heron', business_name: '' })
    const reply = await site.get('/api/enrollment/get_enrollment_sponsor?sponsor_site=heron')
    expect(reply.json()).toEqual({ site: 'heron', active: 'Yes', name: 'Zoë Example' })
    expect((await join({ sponsor_site_name: 'heron', username: 'heronsfriend' })).json().payment).toBe('Approved')
  })

  it('4.2 returns a token that is valid only for the office, for 60 seconds', async () => {
    const { token, vo_url } = (await join()).json()
    const key = await importJWK(site.world.keys.signing.publicJwk, 'ES256')
    const now = site.world.now()
    const { payload } = await jwtVerify(token, key, { audience: vo_url, issuer: 'http://foyer.test', currentDate: now })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    await expect(jwtVerify(token, key, { audience: 'http://elsewhere.test', currentDate: now })).rejects.toThrow('aud')
    const late = new Date(now.getTime() + 61_000)
    await expect(jwtVerify(token, key, { audience: vo_url, currentDate: late })).rejects.toThrow('exp')
    expect(officeAddress(vo_url, token)).toMatch(/^http:\/\/foyer\.test\/office\/autologin\/grant-access\/[\w~-]+$/)
  })

  it('4.3 ignores prices, levels and hidden fields in the request', async () => {
    const hidden = {
      grand_total: '1.0731',
      price: '0.0173',
      level: 'Founder',
      catid: '987654321',
      sponsor_id: 'somebodyelse',
    }
    expect((await join({ username: 'sly', ...hidden })).json().payment).toBe('Approved')
    const inReview = { username: 'slyer', cc_number: cards.review }
    expect((await join({ ...inReview, ...hidden })).json().payment, 'keeps its details').toBe('Pending')
    const member = await site.db
      .selectFrom('member')
      .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
      .innerJoin('orders', 'orders.member_id', 'member.id')
      .select(['level', 'sponsor.site', 'grand_total'])
      .where('username', '=', 'sly')
      .executeTakeFirst()
    expect(member).toEqual({ level: 'Member', site: 'ana', grand_total: 9900 })
    const rows = await allRows(site.db)
    expect(rows.payment?.join()).toContain('slyer')
    for (const value of Object.values(hidden)) expect(JSON.stringify(rows)).not.toContain(value)
    const amounts = await site.db.selectFrom('payment').select('amount_cents').distinct().execute()
    expect(amounts).toEqual([{ amount_cents: 9900 }])
  })

  it('4.4 ships to the billing address, or to a separate shipping address', async () => {
    const shipped = {
      product_ids: '35',
      username: 'shipper',
      is_shipping_different: '1',
      ship_address: '5 Quay',
      ship_city: 'Halifax',
      ship_country: 'CA',
      ship_state: 'NS',
      ship_zip_code: 'B3H 0A1',
    }
    expect((await join(shipped)).json().payment).toBe('Approved')
    const member = await memberNamed('shipper')
    const order = await site.db
      .selectFrom('orders')
      .selectAll()
      .where('member_id', '=', member?.id ?? '')
      .executeTakeFirst()
    expect(order).toMatchObject({
      ship_address: '5 Quay',
      ship_country: 'CA',
      ship_zip_code: 'B3H 0A1',
      grand_total: 14900,
    })

    const incomplete = await join({ is_shipping_different: '1', ship_address: '5 Quay' })
    expect(incomplete.statusCode).toBe(422)
    expect(incomplete.json().fields).toMatchObject({
      ship_city: ['Please enter your city.'],
      ship_country: ['Please select a country.'],
      ship_zip_code: ['Please enter your Post / ZIP code.'],
    })
  })

  it('4.5 stores title, version and hash of every accepted text', async () => {
    await join({ username: 'reader' })
    const member = await memberNamed('reader')
    const accepted = await site.db
      .selectFrom('acceptance')
      .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
      .select(['agreement', 'title', 'version', 'acceptance.sha256', 'content'])
      .where('member_id', '=', member?.id ?? '')
      .orderBy('agreement')
      .orderBy('title')
      .execute()
    expect(accepted.map(({ agreement, title, version }) => [agreement, title, version])).toEqual([
      ['agreement_1', 'Membership Agreement', 1],
      ['agreement_1', 'Privacy Policy', 1],
      ['agreement_1', 'Terms of Membership', 1],
      ['agreement_2', 'Subscription consent', versionOf(accepted.at(-1)?.sha256)],
    ])
    for (const { sha256, content } of accepted) expect(hash('sha256', content, 'hex')).toBe(sha256)
    expect(accepted.at(-1)?.content).toContain('$99.00 today and $99.00 every month')
  })

  it('4.15 stores the password only as an argon2id hash', async () => {
    await join({ username: 'keeper', password: 'Open-Sesame-7' })
    const member = await memberNamed('keeper')
    expect(member?.password_hash).toMatch(/^\$argon2id\$v=19\$/)
    expect(await verify(member?.password_hash ?? '', 'Open-Sesame-7')).toBe(true)
  })
})

describe('a refused enrollment', () => {
  it.each([
    ['oldmill', 'inactive'],
    ['nobodyhere', 'unknown'],
  ])('4.6 1.5 is refused on sponsor_site_name for the sponsor %s, who is %s', async (sponsor_site_name) => {
    const reply = await join({ sponsor_site_name })
    expect(reply.statusCode).toBe(422)
    expect(Object.keys(reply.json().fields)).toEqual(['sponsor_site_name'])
  })

  it('4.6 credits the new site of a renamed sponsor', async () => {
    expect((await join({ sponsor_site_name: 'harbor', username: 'kitefan' })).json().payment).toBe('Approved')
    const member = await memberNamed('kitefan')
    const sponsor = await site.db
      .selectFrom('sponsor')
      .select('site')
      .where('id', '=', member?.sponsor_id ?? '')
      .executeTakeFirst()
    expect(sponsor?.site).toBe('bluepier')
  })

  it.each([
    [{ cc_month: '10', cc_year: '2026' }, 'cc_year', 'This card has expired.'],
    [{ cc_year: '2036' }, 'cc_year', 'Please select the expiration year.'],
    [{ product_ids: '' }, 'product_ids', 'Please choose a package.'],
    [{ agreement_2: '0' }, 'agreement_2', 'Please confirm all the agreements.'],
    [{ hall_lantern: 'on' }, 'hall_lantern', 'This field should be left empty.'],
    [{ captcha: 'made up' }, 'captcha', 'Please confirm the captcha.'],
    [
      { captcha: Buffer.from('{"challenge":{"parameters":{}},"solution":{}}').toString('base64') },
      'captcha',
      'Please confirm the captcha.',
    ],
    [{ username: 'office' }, 'username', 'This username is already taken.'],
  ])('4.12 refuses %o before any money moves', async (changes, field, message) => {
    const before = await attempts()
    const reply = await join(changes as Record<string, string>)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ [field]: [message] })
    expect(await attempts()).toBe(before)
  })

  it('4.12 accepts a captcha’s solution only once', async () => {
    const captcha = await site.captcha()
    expect((await join({ captcha })).statusCode).toBe(200)
    expect((await join({ captcha })).json().fields).toEqual({ captcha: ['Please confirm the captcha.'] })
  })

  it('4.12 does not use up the captcha for a mistake in another field', async () => {
    const captcha = await site.captcha()
    expect((await join({ captcha, product_ids: '999' })).statusCode).toBe(422)
    expect((await join({ captcha })).statusCode).toBe(200)
  })
})

const attempts = async () => (await site.db.selectFrom('payment').select('attempt').execute()).length

it('4.10 when a hundred visitors ask for the same username at once, one becomes a member', async () => {
  const forms = await Promise.all(Array.from({ length: 100 }, () => filledForm(site, { username: 'popular' })))
  const replies = await Promise.all(forms.map((form) => site.post('enrollment/add-enrollment', form)))
  const approved = replies.filter((reply) => reply.statusCode === 200 && reply.json().payment === 'Approved')
  const refused = replies.filter((reply) => reply.statusCode === 422)
  expect([approved.length, refused.length]).toEqual([1, 99])
  for (const reply of refused) expect(reply.json().fields).toEqual({ username: ['This username is already taken.'] })
  const members = await site.db.selectFrom('member').select('id').where('username', '=', 'popular').execute()
  expect(members).toHaveLength(1)
})
