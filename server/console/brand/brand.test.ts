import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLogo } from '#server/brand/check-logo.ts'
import { welcomeEmail } from '#server/emails/emails.ts'
import { createApp } from '#server/site/app.ts'
import { ageValues } from '#server/test/age-values.ts'
import { joinedMember } from '#server/test/member.ts'
import { plainShell, type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

const unset = { name: '', accent: '', radius: '0.625rem', support: '', email_footer: '', welcome: '' }
const acme = {
  name: 'Acme <Club>',
  accent: '#7a1fa2',
  radius: '1rem',
  support: 'help@acme.example',
  email_footer: 'Acme LLC, 1 Main Street',
  welcome: 'Good to have you.',
}
/** Saves over what is saved now. */
const post = async (form: object) =>
  owner.post('brand', { version: (await owner.get('brand')).json().version, ...form })
const save = async (form: object) => {
  const reply = await post(form)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const page = async () => {
  const { body, headers } = await site.get('/master')
  const html = body.replace(/name="enrollment" content="[^"]+"/, '')
  return { html, policy: String(headers['content-security-policy']) }
}

describe('the brand', () => {
  it('19.68 is in the page, in emails and in messages at once, and the built-in page is as it was', async () => {
    const before = await page()
    expect(before.html).toContain('<html lang="en">')
    await save(acme)
    const { html, policy } = await page()
    expect(html).toContain('<html lang="en" data-name="Acme &#60;Club&#62;" data-accent="#7a1fa2" data-welcome="Good')
    expect(html).toContain('<title>Join Acme &#60;Club&#62;</title>')
    expect(html).toMatch(/<style>:root,\[data-theme=light\]\{--accent:#7a1fa2;.*--radius:1rem/)
    expect(html).toContain('help@acme.example')
    expect(policy.match(/style-src[^;]*/)?.[0].match(/sha256-/g)).toHaveLength(2)

    await joinedMember(site)
    const { id } = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    const email = await welcomeEmail(site.world, { member_id: id })
    expect(email.subject).toBe('Welcome to Acme <Club>')
    expect(email.text).toContain('Good to have you.')
    expect(email.text).toMatch(
      /-- \nAcme <Club>\nhttp:\/\/foyer\.test\nFoyer Membership LLC, .*\nAcme LLC, 1 Main Street\n$/,
    )
    expect(email.html).toContain('bgcolor="#7a1fa2"')
    expect(email.html).not.toContain('#0b5d4a')
    await site.world.sms.send('+12025550123', 'sms')
    const messages = await site.db.selectFrom('message').select('body').where('channel', '=', 'sms').execute()
    expect(messages.map(({ body }) => body.split(' code is')[0])).toEqual(['Your Acme <Club>'])

    const actions = await site.db.selectFrom('audit').select('details').where('act', '=', 'change_brand').execute()
    expect(JSON.parse(actions[0]?.details ?? '')).toMatchObject({
      before: { name: '' },
      after: { name: 'Acme <Club>' },
    })
    expect((await post(acme)).statusCode, 'nothing changes').toBe(409)
    await save(unset)
    expect(await page()).toEqual(before)
  })

  it('19.69 refuses an accent on which white text cannot be read, and names the nearest', async () => {
    const reply = await post({ ...unset, accent: '#7fd0b0' })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields.accent[0]).toMatch(
      /^#7fd0b0 is too light for white text; the nearest that works is #[\da-f]{6}\.$/,
    )
  })

  it.each([
    ['accent', 'green', 'Please enter a color such as #0b5d4a.'],
    ['support', 'http://x', 'Please enter an email address, or an address that starts with https://.'],
    ['name', 'x'.repeat(41), 'Please use at most 40 characters.'],
  ])('19.68 a wrong %s gets one sentence at its field', async (field, value, message) => {
    const reply = await post({ ...unset, [field]: value })
    expect([reply.statusCode, reply.json().fields]).toEqual([422, { [field]: [message] }])
  })

  it('19.70 another process shows it within five seconds', async () => {
    const world = { ...site.world, keys: { ...site.world.keys } } // a process has keys of its own
    const other = await createApp({ world, shell: plainShell })
    const isAcme = async () => (await other.inject('/master')).body.includes('Join Acme')
    expect(await isAcme()).toBe(false)
    await save(acme)
    ageValues(5)
    expect(await isAcme()).toBe(true)
    await save(unset)
    await other.close()
  })

  it('19.71 a preview shows what is not saved yet, to staff only, and may stand in a frame', async () => {
    const query = '?name=Preview%20Inc&accent=%23004d99&welcome=Hi'
    const wizard = await site.get(`/console/preview/wizard${query}`, { cookie: owner.cookie })
    expect(wizard.body).toContain('data-name="Preview Inc"')
    expect(wizard.body).toContain('--accent:#004d99')
    expect(wizard.body).not.toContain('<script')
    expect(wizard.headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(wizard.headers['content-security-policy']).toContain("frame-ancestors 'self'")
    const email = await site.get(`/console/preview/email${query}`, { cookie: owner.cookie })
    expect(email.body).toContain('bgcolor="#004d99"')
    expect((await site.get(`/console/preview/email${query}`)).statusCode).toBe(403)
    expect((await page()).html).not.toContain('Preview Inc')
  })
})

const svg = (inside: string) =>
  Buffer.from(`<svg viewBox="0 0 24 24" xmlns="http://www.w3.org/2000/svg">${inside}</svg>`)
const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
}
const png = (side: number, ...more: Buffer[]) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 8
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(side * (side + 1))))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), ...more, pixels, chunk('IEND', Buffer.alloc(0))])
}

describe('the logo', () => {
  it('19.72 replaces the mark and the icon, is served to everyone, and can be taken back', async () => {
    const circle = svg('<circle cx="12" cy="12" r="9" fill="#7a1fa2"/>')
    const { logo_url } = (await owner.post('brand/logo', { logo: circle.toString('base64') })).json()
    expect(logo_url).toMatch(/^\/assets\/brand\/[\da-f]{32}\.svg$/)
    const { html } = await page()
    expect(html).toContain(`data-mark="${logo_url}"`)
    expect(html).toContain(`<link rel="icon" href="${logo_url}" type="image/svg+xml">`)
    const file = await site.get(logo_url)
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(file.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await owner.post('brand/logo/remove')).json().logo_url).toBe(undefined)
    expect((await page()).html).toContain('<html lang="en">')
    expect((await site.get(logo_url)).statusCode, 'open pages still show it').toBe(200)
  })

  it('19.72 of an SVG only shapes are kept', () => {
    const hostile = [
      '<script>alert(1)</script><style>*{background:url(//x)}</style><foreignObject><p>x</p></foreignObject>',
      '<image href="http://x/y.png"/><use href="http://x/y.svg#a"/><a href="javascript:alert(1)"><path d="M0 0h9"/></a>',
      '<rect onload="alert(1)" style="fill:url(http://x)" fill="url(http://x)" stroke="url(#a)" width="9" height="9"/>',
    ].join('')
    const checked = checkLogo(svg(hostile))
    const text = 'content' in checked ? String(checked.content) : ''
    expect(text).toContain('<path d="M0 0h9"')
    expect(text).toContain('stroke="url(#a)"')
    expect(text).not.toMatch(/script|style|foreign|image|href|onload|http:\/\/x|alert/)
  })

  it('19.72 of a PNG only the pixels are kept', () => {
    const secret = chunk('tEXt', Buffer.from('Comment\0where it was made'))
    const checked = checkLogo(Buffer.concat([png(64, secret), Buffer.from('<script>')]))
    expect(checked).toMatchObject({ name: expect.stringMatching(/\.png$/) })
    expect('content' in checked && checked.content.equals(png(64))).toBe(true)
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['noise', randomBytes(300)],
    ['HTML', Buffer.from('<html><script>alert(1)</script></html>')],
    ['an empty SVG', svg('')],
    ['a huge PNG', png(2000)],
    ['a cut PNG', png(64).subarray(0, 60)],
    ['too many bytes', Buffer.alloc(50_000)],
  ])('19.72 %s is refused with a sentence', (_name, bytes) =>
    expect(checkLogo(bytes)).toEqual({ problem: expect.stringMatching(/\.$/) }),
  )
})
