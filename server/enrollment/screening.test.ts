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

describe('a password that is easily guessed', () => {
  it.each([
    ['from the short list that the page knows too', 'Password-1'],
    ['from the long list', 'Pineapple-7'],
    ['in another case', 'pINEAPPLE-7'],
    ['with a year and signs', 'Scooter#2026!'],
    ['with look-alikes', 'Sc00t3r!2026'],
    ['that stands in the list with its digits', 'Ncc-1701-D'],
  ])('6.1 well known, %s: %s', async (_, password) => {
    const reply = await join({ password })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ password: [passwordMessages.common] })
  })

  it.each([
    ['the name', { last_name: 'Lindqvist', password: 'Lindqvist-1' }],
    ['the username', { username: 'quillfeather', password: 'Quillfeather_1' }],
    ['the email', { email: 'brambleton@mail.example', password: 'Brambleton.1' }],
    ['the business', { business_name: 'Tarn & Fell', password: 'TarnFell-99' }],
  ])('6.1 made from %s', async (_, answers) => {
    const reply = await join(answers)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ password: [passwordMessages.personal] })
  })

  it('4.12 costs no captcha and no money: the same solution pays for a better one', async () => {
    const captcha = await site.captcha()
    expect((await join({ captcha, password: 'Password-1' })).statusCode).toBe(422)
    expect((await site.db.selectFrom('payment').select('state').execute()).length).toBe(0)
    expect((await join({ captcha, password: 'Blue-Kettle-42' })).json().payment).toBe('Approved')
  })
})

describe('a form that is sent faster than a person can', () => {
  it('4.12 is refused with a sentence, and passes when it is sent again', async () => {
    const cookie = cookieOf(await site.get('/ana'))
    const form = await filledForm(site)
    const send = () => site.post('enrollment/add-enrollment', form, { cookie })
    site.pass(1)
    const early = await send()
    expect(early.statusCode).toBe(429)
    expect(early.headers['retry-after']).toBe('2')
    expect(early.json().message).toBe('That was very quick. Please take a moment and press the button again.')
    site.pass(2)
    expect((await send()).json().payment).toBe('Approved')
  })

  it('4.12 is measured from the first page: a reload does not begin again', async () => {
    const cookie = cookieOf(await site.get('/ana'))
    site.pass(4)
    const reloaded = cookieOf(await site.get('/ana', { cookie }))
    expect((await join({}, { cookie: reloaded })).json().payment).toBe('Approved')
  })

  it('4.12 is not measured for a caller who opened no page, nor by a clock that was set back', async () => {
    expect((await join()).json().payment).toBe('Approved')
    const cookie = cookieOf(await site.get('/ana'))
    site.pass(-60)
    expect((await join({}, { cookie })).json().payment).toBe('Approved')
  })

  it('4.12 is let through where the operator has switched that off', async () => {
    const quick = await testSite()
    const cookie = cookieOf(await quick.get('/ana'))
    const reply = await quick.post('enrollment/add-enrollment', await filledForm(quick), { cookie })
    expect(reply.json().payment).toBe('Approved')
    await quick.close()
  })
})
