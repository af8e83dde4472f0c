import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const sponsor = async (word: string) =>
  (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${word}`)).json()

describe('get_enrollment_sponsor', () => {
  it.each([
    ['master', { site: 'master', active: 'Yes', name: 'Main Office' }],
    ['ANA', { site: 'ana', active: 'Yes' }],
    ['oldmill', { site: 'oldmill', active: 'No' }],
    ['harbor', { site: 'bluepier', active: 'Yes' }],
    ['nobodyhere', { site: 'master', active: 'Yes' }],
    ['a+b', { site: 'master', active: 'Yes' }],
    ['x!%00', { site: 'master', active: 'Yes' }],
  ])('1.3 1.4 1.5 finds the sponsor of %s', async (path, expected) => {
    expect(await sponsor(path)).toMatchObject(expected)
  })
})

describe('enrollment_packages', () => {
  const packages = async (category: string, language = '1') =>
    site.get(`/api/enrollment/enrollment_packages?product_category_id=${category}&language_id=${language}`)

  it('2.1 lists a category in the operator’s order, with everything that the screen shows', async () => {
    const list = (await packages('17')).json()
    expect(list.map(({ product_id }: { product_id: number }) => product_id)).toEqual([34, 35, 36, 41, 51])
    expect(list[0]).toEqual({
      product_id: 34,
      name: 'Founding Membership',
      description: 'Everything in the office, from the first minute.',
      image_url: '/assets/packages/34.svg',
      price: '99.00',
      renewal_price: '99.00',
      billing_interval: 'month',
      is_recurring: false,
      is_special: false,
      ships: false,
    })
  })

  it('2.1 a recurring package has a price a month, and a special one has none', async () => {
    const list: { product_id: number; renewal_price?: string }[] = (await packages('17')).json()
    const monthly = Object.fromEntries(list.map(({ product_id, renewal_price }) => [product_id, renewal_price]))
    expect(monthly).toMatchObject({ 35: '99.00', 41: '24.00', 51: undefined })
  })

  it('2.1 does not mix categories or languages', async () => {
    expect((await packages('18')).json()).toHaveLength(1)
    expect((await packages('17', '2')).json()).toEqual([])
  })

  it.each(['', 'x', '1.5', '99999999999'])('6.1 refuses %o as a category', async (category) => {
    const reply = await packages(category)
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, ['product_category_id']])
  })
})

describe('orders', () => {
  const total = async (order: object) => site.post('enrollment/orders', order)
  const unavailable = ['This package is not available.']

  describe('with AUTOSHIP and SPECIAL on', () => {
    let open: Site
    beforeAll(async () => {
      open = await testSite({ AUTOSHIP: 'on', SPECIAL: 'on' })
      const parcel = await open.db
        .selectFrom('package')
        .selectAll()
        .where('product_id', '=', 41)
        .executeTakeFirstOrThrow()
      await open.db
        .insertInto('package')
        .values({ ...parcel, product_id: 42, name: 'The Monthly Letter', price_cents: 1_900, renewal_cents: 1_900 })
        .execute()
    })
    afterAll(() => open.close())
    const totalOfAll = async (order: object) => open.post('enrollment/orders', order)

    it.each([
      [{ product_ids: '35', autoship_product_ids: '41', special_product_ids: '51' }, '222.00'],
      [{ product_ids: '34', autoship_product_ids: '41,42' }, '142.00'],
    ])('2.2 2.3 computes %o, with several products in an optional list', async (order, grand_total) => {
      expect((await totalOfAll(order)).json()).toEqual({ grand_total })
    })

    it.each([
      [{ autoship_product_ids: '51' }, { autoship_product_ids: unavailable }],
      [{ autoship_product_ids: '41,51' }, { autoship_product_ids: unavailable }],
      [{ special_product_ids: '51,999' }, { special_product_ids: unavailable }],
      [{ autoship_product_ids: '41,41' }, { autoship_product_ids: ['Please choose each package only once.'] }],
      [{ product_ids: '34,35', autoship_product_ids: '41' }, { product_ids: ['Please choose one package.'] }],
    ])('2.3 refuses %o', async (order, fields) => {
      const reply = await totalOfAll(order)
      expect([reply.statusCode, reply.json().fields]).toEqual([422, fields])
    })
  })

  it.each([
    [{ product_ids: '34' }, '99.00'],
    [{}, '0.00'],
    [{ product_ids: '' }, '0.00'],
  ])('2.2 computes %o from our own prices', async (order, grand_total) => {
    expect((await total(order)).json()).toEqual({ grand_total })
  })

  it.each([
    [{ product_ids: '999' }, { product_ids: ['This package is not available.'] }],
    [{ product_ids: '41' }, { product_ids: ['This package is not available.'] }],
    [{ product_ids: '61' }, { product_ids: ['This package is not available.'] }],
    [{ autoship_product_ids: '41' }, { autoship_product_ids: unavailable }], // its step is switched off
    [{ product_ids: '34', special_product_ids: '51' }, { special_product_ids: unavailable }],
    [{ product_ids: '34,35' }, { product_ids: ['Please choose one package.'] }],
    [{ product_ids: '34,34' }, { product_ids: ['Please choose one package.'] }],
    [{ product_ids: '34; drop' }, { product_ids: ['Please choose a package.'] }],
  ])('2.3 refuses %o', async (order, fields) => {
    const reply = await total(order)
    expect([reply.statusCode, reply.json().fields]).toEqual([422, fields])
  })
})

it('2.4 lists every legal document with status, version and hash', async () => {
  const documents = (await site.get('/api/enrollment/get-all-legal-documents')).json()
  const shown = documents.map((document: Record<string, unknown>) => [
    document.id,
    document.status,
    document.display_on_checkout,
  ])
  expect(shown).toEqual([
    [1, 'active', ['enrollment_page_checkout']],
    [2, 'active', ['enrollment_page_checkout']],
    [3, 'active', ['enrollment_page_checkout']],
    [4, 'active', ['office_page']],
    [5, 'withdrawn', ['enrollment_page_checkout']],
  ])
  expect(documents[2].content).toContain('<strong>$99 per month</strong>')
  expect(documents[0]).toMatchObject({ version: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

describe('names', () => {
  const email = async (text: string) => (await site.post('enrollment/validate_email', { email: text })).json().email
  const username = async (text: string, cookie = '') =>
    (await site.post('enrollment/validate_username', { username: text }, { cookie })).json().username

  it.each([
    ['free', 'Available'],
    ['', ['Please enter your username.']],
    ['a b', ['Username must contain only letters (A-Z) and numbers.']],
    ['ANA', ['This username is already taken.']],
    ['harbor', ['This username is already taken.']],
    ['Console', ['This username is already taken.']],
    ['x'.repeat(31), ['Please use at most 30 characters.']],
  ])('3.1 3.2 checks the username %o', async (name, answer) => {
    expect(await username(name)).toEqual(answer)
  })

  it('3.4 suggests up to three free usernames for a taken one, and none for a reserved or invalid one', async () => {
    const suggestionsFor = async (text: string): Promise<string[] | undefined> =>
      (await site.post('enrollment/validate_username', { username: text })).json().suggestions
    expect(await suggestionsFor('Harbor')).toEqual(['harbor2', 'harbor26', 'harbor7'])
    await site.db.insertInto('claim').values({ kind: 'username', value: 'harbor2', enrollment_id: null }).execute()
    await site.post('enrollment/add-enrollment', await filledForm(site, { username: 'harbor26' }))
    expect(await suggestionsFor('harbor')).toEqual(['harbor7', 'harbor21', 'harbor100'])
    expect(await suggestionsFor('harbor26')).toEqual(['harbor7', 'harbor21', 'harbor100'])
    for (const suggestion of (await suggestionsFor('harbor')) ?? [])
      expect(await username(suggestion)).toBe('Available')
    for (const text of ['console', 'a b', 'free']) expect(await suggestionsFor(text)).toBeUndefined()
  })

  it('3.1 3.2 checks email addresses regardless of case', async () => {
    await site.post('enrollment/add-enrollment', await filledForm(site, { email: 'Taken@Mail.example' }))
    expect(await email('taken@mail.EXAMPLE')).toEqual(['This email address is already registered.'])
    expect(await email('other@mail.example')).toBe('Available')
    expect(await email('not an address')).toEqual(['Invalid email format.'])
  })

  it('3.3 keeps a claimed name available to the enrollment that claimed it', async () => {
    const page = await site.get('/ana')
    const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
    const form = await filledForm(site, { username: 'mine', cc_number: '4000000000009235' })
    await site.post('enrollment/add-enrollment', form, { cookie })
    expect(await username('mine', cookie)).toBe('Available')
    expect(await username('mine')).toEqual(['This username is already taken.'])
  })
})

describe('page hits', () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156 Safari/537.36'
  const browser = { 'user-agent': agent, host: 'foyer.test' }
  const hit = (word: string, headers: Record<string, string>) =>
    site.get(`/api/replicated-sites/page-hits/${word}`, headers)
  const hits = async (word: string) =>
    (await site.db.selectFrom('page_hit').selectAll().where('site', '=', word).execute()).length

  it('1.7 count once per visitor and day', async () => {
    expect((await hit('ana', browser)).json()).toEqual({})
    await hit('ana', browser)
    expect(await hits('ana')).toBe(1)
    await hit('ana', { ...browser, 'user-agent': `${browser['user-agent']} Edg/156` })
    expect(await hits('ana')).toBe(2)
    site.advance(86_400)
    await hit('ana', browser)
    expect(await hits('ana')).toBe(3)
  })

  it('1.7 6.4 are limited by address, even with many made-up browsers', async () => {
    const strict = await testSite({ LIMIT_HITS: '2/86400' })
    for (let n = 0; n < 4; n++) {
      const reply = await strict.get('/api/replicated-sites/page-hits/ana', {
        ...browser,
        'user-agent': `${agent}/${n}`,
      })
      expect([reply.statusCode, reply.json()]).toEqual([200, {}])
    }
    expect(await strict.db.selectFrom('page_hit').selectAll().execute()).toHaveLength(2)
    await strict.close()
  })

  /** Search engines, previews of links in messengers, monitors and programs. */
  const crawlers = [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'WhatsApp/2.24.20.89 A',
    'TelegramBot (like TwitterBot)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'curl/8.9.1',
  ]
  it.each<[string, Record<string, string>]>([
    ...crawlers.map((agent): [string, Record<string, string>] => [agent, { ...browser, 'user-agent': agent }]),
    ['a prefetch', { ...browser, 'sec-purpose': 'prefetch;prerender' }],
    ['another host', { ...browser, host: 'elsewhere.test' }],
    ['a host that is served but not public', { ...browser, host: 'localhost' }],
    ['no browser at all', { host: 'foyer.test', 'user-agent': '' }],
  ])('1.7 do not count %s', async (_who, headers) => {
    await hit('juniper', headers)
    expect(await hits('juniper')).toBe(0)
  })

  it('1.7 do not count for an unknown site', async () => {
    await hit('nobodyhere', browser)
    expect(await hits('nobodyhere')).toBe(0)
  })
})
