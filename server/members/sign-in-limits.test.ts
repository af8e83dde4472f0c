import { afterEach, describe, expect, it } from 'vitest'
import { cookieOf, joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

const open: Site[] = []
afterEach(async () => {
  for (const site of open.splice(0)) await site.close()
})
async function strictSite(settings: Record<string, string> = {}) {
  const limits = { LIMIT_SIGN_INS: '3/900', LIMIT_SIGN_INS_BY_NAME: '5/3600', TRUST_PROXY: 'loopback' }
  const site = await testSite({ ...limits, ...settings })
  open.push(site)
  const from = (address: string, cookie = '') => ({ 'x-forwarded-for': address, ...(cookie ? { cookie } : {}) })
  return {
    site,
    signIn: async (address: string, name: string, password: string, cookie = '') =>
      (await site.post('office/sign-in', { name, password }, from(address, cookie))).statusCode,
    changePhone: (address: string, cookie: string, current_password: string) =>
      site.post('office/phone', { mobile_phone: '+16265550177', current_password }, from(address, cookie)),
  }
}
const WRONG = 'Guess-77-x'

describe('guesses are counted by member', () => {
  it('21.20 whether by username or email: there are not twice as many guesses', async () => {
    const { site, signIn } = await strictSite()
    const { username, email, password } = await joinedMember(site)
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push(await signIn(`203.0.113.${n}`, n % 2 ? email : username, WRONG))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect([await signIn('203.0.113.20', username, password), await signIn('203.0.113.21', email, password)]).toEqual([
      429, 429,
    ])
    const tripped = await site.db
      .selectFrom('security_event')
      .innerJoin('member', 'member.id', 'member_id')
      .select('username')
      .where('kind', '=', 'limit_tripped')
      .execute()
    expect(tripped.length).toBeGreaterThan(0)
    expect(tripped.every((event) => event.username === username)).toBe(true)
  })

  it('21.20 an unknown name is counted and refused like a known one', async () => {
    const { signIn } = await strictSite()
    for (const name of ['nobodyhere', 'nobody@mail.example']) {
      const statuses = []
      for (let n = 0; n < 6; n++) statuses.push(await signIn(`203.0.113.${n + 30}`, name, WRONG))
      expect(statuses, name).toEqual([401, 401, 401, 401, 401, 429])
    }
  })
})

describe('others on the same address', () => {
  const ADDRESS = '203.0.113.1'
  const exhaust = async (signIn: Awaited<ReturnType<typeof strictSite>>['signIn']) => {
    for (let n = 0; n < 4; n++) await signIn(ADDRESS, `guess${n}`, WRONG)
    expect(await signIn(ADDRESS, 'guess9', WRONG)).toBe(429)
  }

  it('21.21 do not lock out a browser that the member has used before', async () => {
    const { site, signIn } = await strictSite()
    const { username, password, cookie } = await memberInOffice(site)
    await exhaust(signIn)
    expect(await signIn(ADDRESS, username, password), 'a new browser').toBe(429)
    expect(await signIn(ADDRESS, username, password, cookie)).toBe(200)
    const another = await memberInOffice(site)
    expect(await signIn(ADDRESS, username, password, another.cookie), 'another member’s browser').toBe(429)
  })

  it('21.21 do not keep a signed-in member from changes', async () => {
    const { site, signIn, changePhone } = await strictSite()
    const { password, cookie } = await memberInOffice(site)
    await exhaust(signIn)
    expect((await changePhone(ADDRESS, cookie, password)).statusCode).toBe(200)
  })

  it('21.21 a known browser and a signed-in member still have a limit of their own, for wrong passwords', async () => {
    const { site, signIn, changePhone } = await strictSite()
    const { username, cookie, password } = await memberInOffice(site)
    const inOffice = []
    for (let n = 0; n < 6; n++) inOffice.push((await changePhone(ADDRESS, cookie, WRONG)).statusCode)
    expect(inOffice).toEqual([422, 422, 422, 422, 422, 429])
    const inBrowser = []
    for (let n = 0; n < 6; n++) inBrowser.push(await signIn(ADDRESS, username, WRONG, cookie))
    expect(inBrowser).toEqual([401, 401, 401, 401, 401, 429])
    expect(await signIn('203.0.113.2', username, password), 'from elsewhere, nobody has guessed').toBe(200)
  })

  it('21.21 a signed-in member’s lookups and letters are not those of the address', async () => {
    const { site } = await strictSite({ LIMIT_LOOKUPS: '2/3600', LIMIT_LETTERS: '2/3600' })
    const { password, cookie } = await memberInOffice(site)
    const headers = { 'x-forwarded-for': ADDRESS }
    for (let n = 0; n < 3; n++) await site.post('enrollment/validate_email', { email: `a${n}@mail.example` }, headers)
    for (let n = 0; n < 3; n++) await site.post('office/forgotten-password', { name: `guess${n}` }, headers)
    const change = (email: string) =>
      site.post('office/email', { email, current_password: password }, { ...headers, cookie })
    expect((await change('new1@mail.example')).statusCode).toBe(200)
    expect((await change('new2@mail.example')).statusCode).toBe(200)
    expect((await change('new3@mail.example')).statusCode).toBe(429)
    expect(cookieOf(await change('new4@mail.example'))).toBe('')
  })
})
