import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fault, faults } from '#emulators/provider/faults.ts'
import { createApp } from '#server/site/app.ts'
import { validAnswers } from '#server/test/answers.ts'
import { allRows } from '#server/test/database-rows.ts'
import { type ProviderSite, providerSite } from '#server/test/provider.ts'
import { plainShell } from '#server/test/site.ts'

/** failed: lookups without an answer. pay: what the visitor hears. why: what the log says, once for each call. */
type Seen = { page: 'shown' | 'waiting'; failed: string; pay: string; why: string[] }

const fine: Seen = { page: 'shown', failed: '', pay: 'Approved', why: [] }
const lost = (why: string, pay = 'Unknown'): Seen => ({
  page: 'waiting',
  failed: 'total documents username email',
  pay,
  why: [why],
})
const only = (changed: Partial<Seen>): Seen => ({ ...fine, ...changed })
const unpaid = (why: string): Seen => only({ pay: 'Unknown', why: [why] })
const PAYMENT_ERROR = 'There was an error processing your payment. Please try again later.'

const expected: Record<Fault, Seen> = {
  dropped_before: lost('it closed the connection'),
  dropped_after: lost('it closed the connection'),
  silence: lost('it does not answer in time'),
  late: lost('it does not answer in time'),
  half: lost('it closed the connection'),
  endless: lost('it does not answer in time'),
  huge: lost('its reply is too long'),
  html: lost('the reply is HTML'),
  empty: lost('the reply is empty'),
  no_json: lost('the reply is not JSON'),
  text_plain: fine,
  byte_order_mark: fine,
  redirect: lost('status 302'),
  redirect_loop: lost('status 302'),
  status_401: lost('status 401', PAYMENT_ERROR),
  status_404: lost('status 404', PAYMENT_ERROR),
  status_429: lost('status 429', PAYMENT_ERROR),
  status_500: lost('status 500'),
  status_503: lost('status 503'),
  null_body: {
    ...lost(''),
    why: ['site', 'grand_total', 'username', 'email', 'payment']
      .map((field) => `${field} is missing`)
      .concat('the packages are not a list', 'the documents are not a list'),
  },
  in_data: fine,

  sponsor_lost: only({ page: 'waiting', why: ['status 500'] }),
  sponsor_yes: fine,
  sponsor_true: fine,
  sponsor_without_active: only({ page: 'waiting', why: ['active is missing'] }),
  sponsor_without_site: only({ page: 'waiting', why: ['site is missing'] }),
  sponsor_site_is_html: only({ page: 'waiting', why: ['site is not a word for an address'] }),

  packages_lost: only({ page: 'waiting', why: ['status 500'] }),
  packages_empty: fine,
  packages_as_text: fine,
  package_without_id: only({ why: ['product_id of package 2 is missing or not a number'] }),
  package_twice: fine,
  package_without_image: fine,
  package_image_elsewhere: fine,
  package_without_kind: fine,

  documents_lost: only({ failed: 'documents', why: ['status 500'] }),
  documents_empty: fine,
  document_places_as_text: fine,
  document_with_script: fine,
  document_without_title: fine,

  orders_lost: only({ page: 'waiting', failed: 'total', why: ['status 500'] }),
  total_as_number: fine,
  total_with_sign: fine,
  total_missing: only({ page: 'waiting', failed: 'total', why: ['grand_total is missing'] }),
  total_negative: only({ page: 'waiting', failed: 'total', why: ['grand_total is not an amount'] }),

  availability_lost: only({ failed: 'username email', why: ['status 500'] }),
  email_message_as_text: fine,
  username_true: fine,
  everyone_available: fine,

  payment_lost: unpaid('it closed the connection'),
  payment_late: unpaid('it does not answer in time'),
  payment_silent: unpaid('it does not answer in time'),
  payment_html: unpaid('the reply is HTML'),
  payment_failed: unpaid('status 500'),
  payment_refused: only({ pay: 'The address is unknown.' }),
  payment_lowercase: fine,
  payment_unknown_word: only({ pay: 'Declined', why: ['payment is neither Approved nor Declined'] }),
  token_missing: only({ pay: 'Approved without a token', why: ['token is missing'] }),
  office_missing: only({
    pay: 'Approved without an office',
    why: ['vo_url leads to no host of PROVIDER_OFFICE_HOSTS'],
  }),
  office_elsewhere: only({
    pay: 'Approved without an office',
    why: ['vo_url leads to no host of PROVIDER_OFFICE_HOSTS'],
  }),
  office_is_script: only({
    pay: 'Approved without an office',
    why: ['vo_url leads to no host of PROVIDER_OFFICE_HOSTS'],
  }),

  code_lost: fine,
  code_status_as_text: fine,
  code_without_message: fine,
  any_code_is_right: fine,
  call_without_success: fine,
  hits_lost: fine,
}

let count = 0
const newKey = () => ({ 'idempotency-key': `${randomUUID()}.1` })

describe('26.7 each way in which a host can fail has its screen and its line in the log', () => {
  let site: ProviderSite
  beforeAll(async () => {
    site = await providerSite()
  })
  afterAll(() => site.close())

  it.each(Object.entries(expected) as [Fault, Seen][])('%s', { timeout: 30_000 }, async (fault, row) => {
    const { host, world } = site
    const app = await createApp({ world, shell: plainShell }) // knows nothing of the host yet
    const call = async (path: string, payload: object, headers = {}) =>
      app.inject({ method: 'POST', url: `/api/enrollment/${path}`, payload, headers })
    const loggedBefore = site.hostLines().length
    const isAboutPayment = faults[fault].on?.includes('add_enrollment') // then the rest need not hurry
    host.fail(isAboutPayment ? undefined : fault)
    const { body, statusCode } = await app.inject('/ana')
    expect(statusCode).toBe(200)
    const lookups = {
      total: await call('orders', { product_ids: '34' }),
      documents: await app.inject('/api/enrollment/get-all-legal-documents'),
      username: await call('validate_username', { username: 'zoe' }),
      email: await call('validate_email', { email: 'taken@host.example' }),
    }
    host.fail(undefined)
    site.advance(10) // longer than a host that has failed is left alone
    for (const path of ['/ana', '/api/enrollment/get-all-legal-documents']) await app.inject(path)
    host.fail(fault)
    const form = { ...validAnswers(`pat${++count}`), captcha: await site.captcha() }
    const paid = await call('add-enrollment', form, newKey())
    host.fail(undefined)

    const { payment, token, vo_url, message } = paid.json()
    const lines = site.hostLines().slice(loggedBefore)
    expect({
      page: body.includes('Join with ana for ') ? 'shown' : 'waiting',
      failed: Object.entries(lookups)
        .filter(([, reply]) => reply.statusCode === 502)
        .map(([name]) => name)
        .join(' '),
      pay:
        message ??
        (payment !== 'Approved' || (token && vo_url)
          ? payment
          : `Approved without ${vo_url ? 'a token' : 'an office'}`),
      why: [...new Set(lines.map(({ why }) => why))].sort(),
    }).toEqual({ ...row, why: row.why.toSorted() })
    const calls = lines.map(({ path, why }) => `${path} ${why}`)
    expect(calls.every((line) => line.startsWith('/enrollment/'))).toBe(true)
    expect(calls.filter((line, index) => calls.indexOf(line) !== index)).toEqual([])
    expect(JSON.stringify(lines)).not.toMatch(/pat\d|zoe|4242|taken|91px|<b>|phishing/)
    await app.close()
  })
})

const UNSENT = 'Error sending verification code'
const UNCHECKED = 'An error occurred while verifying the code.'
const SENT = 'Verification code has been successfully sent to your phone.'
const RIGHT = 'Your phone number has been successfully verified.'
const CALLING = 'We’re calling your phone now. The call reads out a code.'

/** What the visitor reads after asking for a code, entering a wrong one, and asking for a call. */
type Words = [send: string, wrong: string, call: string]
const heard: Words = [SENT, 'This code is wrong', CALLING]
const unheard: Words = [UNSENT, UNCHECKED, UNSENT]
const works = new Set<Fault>([
  'text_plain',
  'byte_order_mark',
  'in_data',
  'code_without_message',
  'code_status_as_text',
])
const special: Partial<Record<Fault, Words>> = {
  code_lost: [UNSENT, 'This code is wrong', CALLING],
  any_code_is_right: [SENT, RIGHT, CALLING],
  call_without_success: [SENT, 'This code is wrong', UNSENT],
}
const wordsOf = (fault: Fault): Words => special[fault] ?? (works.has(fault) || faults[fault].on ? heard : unheard)

describe('26.8 each way in which a host’s codes can fail has the sentence of the spec', () => {
  let site: ProviderSite
  beforeAll(async () => {
    site = await providerSite({
      PHONE_VERIFICATION: 'on',
      VOICE_CALL: 'on',
      LIMIT_CODES_BY_BLOCK: '10000/3600',
      LIMIT_CODE_CHECKS: '10000/3600',
      BREAKER_CODES: 'off',
    })
  })
  afterAll(() => site.close())
  const withCodes = (Object.keys(faults) as Fault[]).filter((fault) => !faults[fault].on || fault in special)

  it.each(withCodes)('%s', { timeout: 30_000 }, async (fault) => {
    const phone = `+120255501${String(++count % 100).padStart(2, '0')}`
    const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
    const ask = async (call: string, body: object) =>
      (await site.post(`twilio/${call}`, { ...body, captcha: await site.captcha() }, { cookie })).json()
    site.host.fail(fault)
    const sent = await ask('send-verification-code', { phone_number: phone })
    site.host.fail(undefined)
    site.advance(31)
    await ask('send-verification-code', { phone_number: phone })
    site.advance(31)
    site.host.fail(fault)
    const wrong = await ask('verify-code', { phone_number: phone, code: '111111' })
    const called = await ask('verify-call', { cellphone: phone })
    site.host.fail(undefined)
    site.advance(3600)
    expect([sent.message, wrong.message, called.message]).toEqual(wordsOf(fault))
    expect([sent.status, wrong.status, called.success]).toEqual(
      [SENT, RIGHT, CALLING].map((good, index) =>
        wordsOf(fault)[index] === good ? (index === 2 ? true : 1) : index === 2 ? false : 0,
      ),
    )
  })

  it('26.8 a row keeps only a keyed hash of the number, and the code confirms it for the payment', async () => {
    const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
    const post = async (path: string, body: object) => (await site.post(path, body, { cookie })).json()
    const form = async () => ({
      ...validAnswers(`pat${++count}`),
      mobile_phone: '+12025550177',
      captcha: await site.captcha(),
    })
    expect((await post('enrollment/add-enrollment', await form())).fields).toHaveProperty('mobile_phone')
    const captcha = await site.captcha()
    expect(await post('twilio/send-verification-code', { phone_number: '+12025550177', captcha })).toMatchObject({
      status: 1,
    })
    const { phone_check = [], lease = [] } = await allRows(site.db)
    expect([phone_check.length > 0, lease.length > 0]).toEqual([true, true])
    expect(JSON.stringify([phone_check, lease])).not.toMatch(/20255501/)
    expect(await post('twilio/verify-code', { phone_number: '+12025550177', code: '135790' })).toMatchObject({
      status: 1,
    })
    expect(await post('enrollment/add-enrollment', await form())).toMatchObject({ payment: 'Approved' })
  })
})
