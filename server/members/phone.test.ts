import { afterAll, describe, expect, it } from 'vitest'
import { emailsTo, memberInOffice } from '#server/test/member.ts'
import { phonesOf } from '#server/test/phones.ts'
import { type Site, testSite } from '#server/test/site.ts'

/** Codes are sent, but members join without one: they joined before the operator switched them on. */
async function siteWithCodes(env: Record<string, string> = {}) {
  const site = await testSite({ LIMIT_SIGN_INS: '1000/900', ...env })
  const member = async () => {
    const { config } = site.world
    site.world.config = { ...config, PHONE_VERIFICATION: false }
    const joined = await memberInOffice(site)
    site.world.config = { ...config, PHONE_VERIFICATION: true }
    return joined
  }
  return { site, member, ...officeOf(site) }
}

type Member = Awaited<ReturnType<typeof memberInOffice>>

const officeOf = (site: Site) => ({
  request: ({ cookie, password }: Member, mobile_phone: string) =>
    site.post('office/phone', { mobile_phone, current_password: password }, { cookie }),
  confirm: ({ cookie, username }: Member, code: string) =>
    site.post('office/phone/confirm', { username, code }, { cookie }),
  resend: ({ cookie, username }: Member) => site.post('office/phone/code', { username }, { cookie }),
  view: async ({ cookie }: Member) => (await site.get('/api/office/view', { cookie })).json(),
})

const { site, member, request, confirm, resend, view } = await siteWithCodes()
afterAll(() => site.close())
const { codeTo, outbox } = phonesOf(site)

const differentCode = (code: string) => (code === '111111' ? '222222' : '111111')

describe('21.19 where codes are sent', () => {
  it('21.19 a new phone number counts once its code is entered, and the member is told by email', async () => {
    const zoe = await member()
    const phone = '+12025551177'
    const reply = await request(zoe, phone)
    expect([reply.statusCode, reply.json().mobile_phone, reply.json().unconfirmed_phone]).toEqual([
      200,
      zoe.mobile_phone,
      phone,
    ])
    const code = await codeTo(phone)
    const wrong = await confirm(zoe, differentCode(code))
    expect([wrong.statusCode, wrong.json().fields]).toEqual([
      422,
      { code: ['This code is incorrect. Please check it and try again.'] },
    ])
    expect((await view(zoe)).mobile_phone).toBe(zoe.mobile_phone)
    const right = await confirm(zoe, code)
    expect([right.statusCode, right.json().mobile_phone]).toEqual([200, phone])
    expect(right.json()).not.toHaveProperty('unconfirmed_phone')
    const [email] = await emailsTo(site, zoe.email, 'Your phone number was changed')
    expect(email?.body).toContain('77 in your office on')
    expect(email?.body).not.toContain(phone.slice(-4))
    expect((await confirm(zoe, code)).statusCode, 'nothing waits any more').toBe(409)
  })

  it('21.19 no code is sent without the right password, and another member’s code confirms nothing', async () => {
    const [zoe, other] = [await member(), await member()]
    const phone = '+12025552277'
    expect((await request({ ...zoe, password: 'Wrong-1-x' }, phone)).statusCode).toBe(422)
    expect(await outbox(phone)).toEqual([])
    await request(zoe, phone)
    expect((await confirm(other, await codeTo(phone))).statusCode).toBe(409)
    expect((await confirm({ ...other, cookie: '' }, await codeTo(phone))).statusCode).toBe(401)
    expect((await view(other)).mobile_phone).toBe(other.mobile_phone)
  })

  it('21.19 a number of a country that gets no codes is refused at the field, and so is the current one', async () => {
    const zoe = await member()
    expect((await request(zoe, '+525512345678')).json().fields).toEqual({
      mobile_phone: [
        'We can’t send a code to this country. Please use a mobile number from the United States or Canada.',
      ],
    })
    expect((await request(zoe, '+12025550403')).json().fields).toEqual({
      mobile_phone: ['We can’t send codes to this number. Please use another number.'],
    })
    expect((await request(zoe, zoe.mobile_phone)).json().fields).toEqual({
      mobile_phone: ['This is already your phone number.'],
    })
    expect((await request(zoe, '+12025550500')).statusCode, 'the vendor does not answer').toBe(503)
    expect(await view(zoe)).not.toHaveProperty('unconfirmed_phone')
  })

  it('21.19 a new code can be requested after half a minute, and a number waits for an hour', async () => {
    const zoe = await member()
    const phone = '+12025553377'
    await request(zoe, phone)
    const first = await codeTo(phone)
    expect((await resend(zoe)).statusCode).toBe(429)
    site.advance(31)
    expect((await resend(zoe)).statusCode).toBe(200)
    const second = await codeTo(phone)
    if (first !== second) expect((await confirm(zoe, first)).statusCode).toBe(422)
    site.advance(3600)
    expect((await confirm(zoe, second)).json().message).toBe('This took too long. Please enter your new number again.')
    expect(await view(zoe)).not.toHaveProperty('unconfirmed_phone')
  })

  it('21.19 the limits of codes hold', async () => {
    const strict = await siteWithCodes({ LIMIT_CODES_BY_ENROLLMENT: '2/3600' })
    const zoe = await strict.member()
    const statuses = []
    for (const n of [1, 2, 3]) statuses.push((await strict.request(zoe, `+1202555${n}477`)).statusCode)
    expect(statuses).toEqual([200, 200, 429])
    await strict.site.close()
  })
})
