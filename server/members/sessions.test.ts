import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SecurityView } from '#contract/office/security.ts'
import { cookieOf, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const agents = {
  phone:
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  laptop: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
}

/** A member who is signed in with a phone, a laptop and a browser that we do not know. */
async function memberWithSessions() {
  const { username: name, password, cookie } = await memberInOffice(site)
  const signIn = async (agent: string) =>
    cookieOf(await site.post('office/sign-in', { name, password }, { 'user-agent': agent }))
  site.advance(60)
  const phone = await signIn(agents.phone)
  site.advance(60)
  return { name, password, unknown: cookie, phone, laptop: await signIn(agents.laptop) }
}
const view = async (cookie: string): Promise<SecurityView> =>
  (await site.get('/api/office/security', { cookie })).json()
const isSignedIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200
const signedIn = (cookies: string[]) => Promise.all(cookies.map(isSignedIn))

it('21.4 a member sees every session with browser, sign-in and last use, this one first', async () => {
  const start = site.world.now()
  const { phone, laptop, unknown } = await memberWithSessions()
  expect((await view(phone)).sessions.map(({ device, is_this }) => [device, is_this])).toEqual([
    ['Chrome on Android', true],
    ['Firefox on Linux', false],
    ['Unknown browser', false],
  ])
  site.advance(3600)
  await isSignedIn(unknown)
  const { sessions } = await view(laptop)
  expect(sessions.map(({ device }) => device)).toEqual(['Firefox on Linux', 'Unknown browser', 'Chrome on Android'])
  expect(sessions.find(({ device }) => device === 'Unknown browser')).toMatchObject({
    signed_in_at: start.toISOString(),
    used_at: site.world.now().toISOString(),
  })
  site.advance(3600) // the phone has now been idle for two hours
  expect((await view(laptop)).sessions).toHaveLength(2)
  expect((await site.get('/api/office/security')).statusCode).toBe(401)
  expect((await site.get('/office/security', { cookie: laptop })).statusCode).toBe(200)
  expect((await site.get('/office/security')).statusCode).toBe(401)
})

it('21.4 a member signs out one other browser, and nobody else’s', async () => {
  const { phone, laptop, unknown } = await memberWithSessions()
  const stranger = await memberInOffice(site)
  const { id = '' } = (await view(laptop)).sessions.find(({ device }) => device === 'Chrome on Android') ?? {}
  const end = (id: string, cookie: string) => site.post('office/sessions/end', { id }, { cookie })
  await end(id, stranger.cookie)
  expect(await isSignedIn(phone)).toBe(true)
  expect((await end(id, laptop)).json().sessions).toHaveLength(2)
  expect(await signedIn([phone, laptop, unknown])).toEqual([false, true, true])
  expect((await end(id, laptop)).statusCode).toBe(200)
  expect((await end('x', laptop)).json().fields).toEqual({ id: ['This is not a session.'] })
  expect((await end(id, phone)).statusCode).toBe(401)
})

it('21.4 a member signs out all other browsers, or all', async () => {
  const { phone, laptop, unknown } = await memberWithSessions()
  const reply = await site.post('office/sessions/end-others', {}, { cookie: phone })
  expect(reply.json().sessions).toHaveLength(1)
  expect(await signedIn([phone, laptop, unknown])).toEqual([true, false, false])
  await site.post('office/sign-out-everywhere', {}, { cookie: phone })
  expect(await isSignedIn(phone)).toBe(false)
})
