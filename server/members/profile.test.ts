import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emailsTo, joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof memberInOffice>>
const change = (what: string, { cookie, username }: Member, input: object) =>
  site.post(`office/${what}`, { username, ...input }, { cookie })
const signedMember = async ({ cookie }: Member) => {
  const bundle = (await site.get('/office/consent.json', { cookie })).json()
  const { member, sponsor } = JSON.parse(Buffer.from(bundle.payload, 'base64url').toString())
  return { name: `${member.first_name} ${member.last_name}`, sponsor: sponsor.name }
}
const names = (first_name: string, last_name: string, business_name = '') => ({ first_name, last_name, business_name })

describe('a name', () => {
  it('15.20 is changed on the page, in the office and in emails, and what was signed keeps the old one', async () => {
    const member = await memberInOffice(site, { first_name: 'Zoë', last_name: 'Example' })
    const early = await memberInOffice(site, { sponsor_site_name: member.username })
    const reply = await change('name', member, names('Zoe', 'Sample'))
    expect(reply.json()).toMatchObject(names('Zoe', 'Sample'))
    expect((await site.get(`/${member.username}`)).body).toContain('Join with Zoe Sample')
    const late = await memberInOffice(site, { sponsor_site_name: member.username })
    expect((await site.get('/api/office/view', { cookie: early.cookie })).json().sponsor_name).toBe('Zoe Sample')
    expect((await emailsTo(site, late.email, 'Welcome to Foyer'))[0]?.body).toContain('You joined with Zoe Sample')

    await change('name', member, names('Zoe', 'Third', 'Harbour Bakery'))
    expect((await site.get(`/${member.username}`)).body).toContain('Join with Harbour Bakery')
    expect(await signedMember(member)).toMatchObject({ name: 'Zoë Example' })
    expect([await signedMember(early), await signedMember(late)].map(({ sponsor }) => sponsor)).toEqual([
      'Zoë Example',
      'Zoe Sample',
    ])
  })

  it.each([
    [names('', 'Sample'), { first_name: ['Please enter your first name.'] }],
    [
      names('Zoe', 'x'.repeat(31)),
      { last_name: ['Please use at most 30 characters for your last name. A short form or initials are fine.'] },
    ],
  ])('15.20 does not change to %o', async (input, fields) => {
    const member = await memberInOffice(site)
    expect((await change('name', member, input)).json().fields).toEqual(fields)
  })

  it('15.20 of another member cannot be changed', async () => {
    const [member, other] = [await memberInOffice(site), await joinedMember(site)]
    const reply = await site.post(
      'office/name',
      { username: other.username, ...names('Eve', 'Evil') },
      { cookie: member.cookie },
    )
    expect(reply.statusCode).toBe(409)
    expect((await site.post('office/name', { username: other.username, ...names('Eve', 'Evil') })).statusCode).toBe(401)
  })
})

/** 64 by 64 gray pixels, made with a place and a time in it. */
const jpeg = (place: string) => {
  const segment = (marker: number, content: Buffer) => {
    const head = Buffer.of(0xff, marker, 0, 0)
    head.writeUInt16BE(content.length + 2, 2)
    return Buffer.concat([head, content])
  }
  const frame = segment(0xc0, Buffer.of(8, 0, 64, 0, 64, 1, 1, 0x11, 0))
  const scan = Buffer.concat([segment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)), Buffer.from(`pixels of ${place.length}`)])
  const exif = segment(0xe1, Buffer.from(`Exif\0\0${place}`))
  return Buffer.concat([Buffer.of(0xff, 0xd8), exif, frame, scan, Buffer.of(0xff, 0xd9)]).toString('base64')
}

describe('a picture', () => {
  it('15.20 is shown on the page from an address that never changes, without the place it was taken', async () => {
    const member = await memberInOffice(site)
    const { picture_url } = (await change('picture', member, { picture: jpeg('N 39 31 46') })).json()
    expect(picture_url).toMatch(/^\/assets\/pictures\/[0-9a-f]{32}\.jpg$/)
    const sponsor = (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${member.username}`)).json()
    expect(sponsor.picture_url).toBe(picture_url)
    expect((await site.get(`/${member.username}`)).body).toContain(`"picture_url":"${picture_url}"`)

    const image = await site.get(picture_url)
    expect([image.statusCode, image.headers]).toMatchObject([
      200,
      {
        'content-type': 'image/jpeg',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      },
    ])
    expect(image.body).toContain('pixels of')
    expect(image.body).not.toContain('39 31 46')
    const rows = await site.db.selectFrom('picture').select('content').execute()
    for (const { content } of rows) expect(Buffer.from(content).toString('latin1')).not.toContain('39 31 46')
  })

  it('15.20 is replaced under another address, and can be removed', async () => {
    const member = await memberInOffice(site)
    const first = (await change('picture', member, { picture: jpeg('a') })).json().picture_url
    const second = (await change('picture', member, { picture: jpeg('ab') })).json().picture_url
    expect([(await site.get(first)).statusCode, (await site.get(second)).statusCode]).toEqual([404, 200])
    const view = (await change('picture/remove', member, {})).json()
    expect([view.picture_url, (await site.get(second)).statusCode]).toEqual([undefined, 404])
    expect((await site.get(`/${member.username}`)).body).not.toContain('picture_url')
  })

  it.each(['%00', 'x.jpg', `${'a'.repeat(32)}.jpg`])('15.20 with the name %s does not exist', async (name) => {
    expect((await site.get(`/assets/pictures/${name}`)).statusCode).toBe(404)
  })

  it('15.20 that two members share is one for each', async () => {
    const [one, two] = [await memberInOffice(site), await memberInOffice(site)]
    const urls = [one, two].map(
      async (member) => (await change('picture', member, { picture: jpeg('same') })).json().picture_url,
    )
    expect(await urls[0]).not.toBe(await urls[1])
    await change('picture/remove', one, {})
    expect((await site.get(await (urls[1] ?? ''))).statusCode).toBe(200)
  })

  it.each([
    ['text', Buffer.from('<script>alert(1)</script>').toString('base64')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
    ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')],
    ['nothing', ''],
    ['no base64', '<>'],
    ['more than 45 kB', 'A'.repeat(60_004)],
  ])('15.20 is not %s', async (_what, picture) => {
    const member = await memberInOffice(site)
    const reply = await change('picture', member, { picture })
    const message = 'This is not a picture that we can show. Please choose another one.'
    expect([reply.statusCode, reply.json().fields.picture[0]]).toEqual([422, message])
    expect((await site.get('/api/office/view', { cookie: member.cookie })).json()).not.toHaveProperty('picture_url')
  })
})
