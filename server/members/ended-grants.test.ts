import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenFromAddress } from '#contract/office/address.ts'
import { testBrowser } from '#server/test/browser.ts'
import { confirmed, cookieOf, emailsTo, joinedMember, linkTokenIn } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const enter = (token: string) => site.post('office/session', { token })
const NEW_PASSWORD = 'Lemon-Tree-9'

/** A member who has signed in by password, and whose grant is still unused. */
async function memberWithGrant() {
  const member = await confirmed(site, await joinedMember(site))
  const { username: name, password } = member
  const cookie = cookieOf(await site.post('office/sign-in', { name, password }))
  return { ...member, cookie }
}
type Member = Awaited<ReturnType<typeof memberWithGrant>>

const endings: Record<string, (member: Member) => Promise<{ statusCode: number }>> = {
  'the member signed out everywhere': ({ cookie }) => site.post('office/sign-out-everywhere', {}, { cookie }),
  'the member signed out of the office': ({ cookie }) => site.post('office/sign-out', {}, { cookie }),
  'a new password': ({ cookie, password }) =>
    site.post('office/password', { password: NEW_PASSWORD, current_password: password }, { cookie }),
  'a new password by email': async ({ email }) => {
    await site.post('office/forgotten-password', { name: email })
    const token = linkTokenIn((await emailsTo(site, email, 'Reset your password'))[0])
    return site.post('office/new-password', { token, password: NEW_PASSWORD })
  },
  'staff ended the sessions': async ({ username }) => {
    const { id } = await site.db
      .selectFrom('member')
      .select('id')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    return (await staffMember(site, 'support')).post('members/end-sessions', { member_id: id })
  },
}

describe.each(Object.entries(endings))('21.1 from before %s', (_name, end) => {
  it('a grant opens nothing, in the same second too', async () => {
    const member = await memberWithGrant()
    const ended = await end(member)
    expect(ended.statusCode).toBe(200)
    const reply = await enter(member.token)
    expect([reply.statusCode, reply.json().message]).toEqual([
      401,
      'This sign-in link has expired or was already used.',
    ])
    expect(reply.headers['set-cookie']).toBeUndefined()
  })
})

it('21.1 the page that has just enrolled a member gets no grant any more, and an earlier one of it is void', async () => {
  const browser = testBrowser(site)
  await browser.open('/bluepier')
  const form = await filledForm(site, { sponsor_site_name: 'bluepier' })
  expect((await browser.post('enrollment/add-enrollment', form)).json().payment).toBe('Approved')
  const open = async () => String(await browser.redirectOf('/bluepier/office'))
  const before = await open()
  expect(before).toContain('/autologin/grant-access/')
  const { username: name, password } = form
  const cookie = cookieOf(await site.post('office/sign-in', { name, password }))
  await site.post('office/sign-out-everywhere', {}, { cookie })
  expect((await enter(tokenFromAddress(before.split('/').at(-1) ?? ''))).statusCode).toBe(401)
  expect(await open()).toBe(site.world.config.OFFICE_URL)
})
