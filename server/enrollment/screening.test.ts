import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordMessages } from '#contract/password.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ MINIMUM_SECONDS: '3' })
})
afterAll(() => site.close())

const join = async (changes: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), headers)

const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  String(reply.headers['set-cookie']).split(';')[0] ?? ''

describe('a password that is easy to guess', () => {
  it.each([
    ['on the short list that the page also checks', 'Password-1'],
    ['on the long list', 'Pineapple-7'],
    ['in another case', 'pINEAPPLE-7'],
    ['with a year and symbols', 'Scooter#2026!'],
    ['with look-alike characters', 'Sc00t3r!2026'],
    ['that is on the list with its digits', 'Ncc-1701-D'],
  ])('6.1 is refused as too common, %s: %s', async (_, password) => {
    const reply = await join({ password })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ password: [passwordMessages.common] })
  })

  it.each([
    ['the name', { last_name: 'Lindqvist', password: 'Lindqvist-1' }],
    ['the username', { username: 'quillfeather', password: 'Quillfeather_1' }],
    ['the email', { email: 'brambleton@mail.example', password: 'Brambleton.1' }],
    ['the business', { business_name: 'Tarn & Fell', password: 'TarnFell-99' }],
  ])('6.1 is refused when it is made from %s', async (_, answers) => {
    const reply = await join(answers)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ password: [passwordMessages.personal] })
  })

  it('6.1 is accepted with COMMON_PASSWORDS=allow, if it meets the owner’s rule', async () => {
    const lenient = await testSite({ COMMON_PASSWORDS: 'allow' })
    const join = async (changes: Record<string, string>) =>
      (await lenient.post('enrollment/add-enrollment', await filledForm(lenient, changes))).json()
    expect((await join({ password: 'Password-1' })).payment).toBe('Approved')
    expect((await join({ last_name: 'Lindqvist', password: 'Lindqvist-1' })).payment).toBe('Approved')
    expect((await join({ password: 'password' })).fields).toHaveProperty('password')
    await lenient.close()
  })

  it('4.12 uses up neither captcha nor money: the same captcha works with a better password', async () => {
    const captcha = await site.captcha()
    expect((await join({ captcha, password: 'Password-1' })).statusCode).toBe(422)
    expect((await site.db.selectFrom('payment').select('state').execute()).length).toBe(0)
    expect((await join({ captcha, password: 'Blue-Kettle-42' })).json().payment).toBe('Approved')
  })
})

describe('a form that is sent faster than a person can fill it in', () => {
  it('4.12 is refused with a message, and accepted when it is sent again later', async () => {
    const cookie = cookieOf(await site.get('/ana'))
    const form = await filledForm(site)
    const send = () => site.post('enrollment/add-enrollment', form, { cookie })
    site.advance(1)
    const early = await send()
    expect(early.statusCode).toBe(429)
    expect(early.headers['retry-after']).toBe('2')
    expect(early.json().message).toBe('You submitted the form too quickly. Please wait a moment and try again.')
    site.advance(2)
    expect((await send()).json().payment).toBe('Approved')
  })

  it('4.12 is timed from the first page view: a reload does not restart the clock', async () => {
    const cookie = cookieOf(await site.get('/ana'))
    site.advance(4)
    const reloaded = cookieOf(await site.get('/ana', { cookie }))
    expect((await join({}, { cookie: reloaded })).json().payment).toBe('Approved')
  })

  it('4.12 is not timed for a caller who opened no page, or when the clock was set back', async () => {
    expect((await join()).json().payment).toBe('Approved')
    const cookie = cookieOf(await site.get('/ana'))
    site.advance(-60)
    expect((await join({}, { cookie })).json().payment).toBe('Approved')
  })

  it('4.12 is accepted when the operator has turned this check off', async () => {
    const quick = await testSite()
    const cookie = cookieOf(await quick.get('/ana'))
    const reply = await quick.post('enrollment/add-enrollment', await filledForm(quick), { cookie })
    expect(reply.json().payment).toBe('Approved')
    await quick.close()
  })
})
