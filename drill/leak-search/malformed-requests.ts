import { once } from 'node:events'
import { connect } from 'node:net'
import { answersOf as filled } from '#server/test/answers.ts'
import { solve } from '#server/test/solve.ts'
import type { Mark } from './test-cards.ts'

/** What a marked visitor answers. */
const answersOf = ({ username, password, cc_number, cc_month, cc_year, cc_cvv }: Mark) => ({
  ...filled(username),
  ...{ password, cc_number, cc_month, cc_year, cc_cvv },
})

const JSON_TYPE = { 'content-type': 'application/json' }

const post = (url: string, path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  fetch(`${url}/api/${path}`, { method: 'POST', headers, body })

const send = (url: string, body: string, headers?: Record<string, string>) =>
  post(url, 'enrollment/add-enrollment', body, headers)

/** Joins with a marked card, as the page does; tells how the payment ended. */
export async function join(url: string, mark: Mark, changes: Record<string, unknown> = {}): Promise<string> {
  const captcha = await solve(await (await fetch(`${url}/api/captcha/challenge`)).json())
  const reply = await send(url, JSON.stringify({ ...answersOf(mark), captcha, ...changes }))
  const told = (await reply.json()) as { payment?: string; message?: string }
  return told.payment ?? `${reply.status} ${told.message}`
}

/** Says these bytes to the server's port and listens until it is tired of them. */
async function utter(url: string, bytes: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  socket.end(bytes)
  await once(socket, 'close')
}

/** Ways to send a card that must all be refused, so that errors are made, told and logged with the card near by. */
export const mishaps: Record<string, (url: string, mark: Mark) => Promise<unknown>> = {
  'JSON cut short': (url, mark) => send(url, JSON.stringify(answersOf(mark)).slice(0, -1)),
  'JSON that begins badly': (url, mark) => send(url, `{cc_number:${mark.cc_number},"password":"${mark.core}`),
  'a card as the whole body': (url, mark) => send(url, mark.cc_number),
  'a form': (url, mark) =>
    send(url, new URLSearchParams(answersOf(mark)).toString(), { 'content-type': 'application/x-www-form-urlencoded' }),
  'plain text': (url, mark) => send(url, JSON.stringify(answersOf(mark)), { 'content-type': 'text/plain' }),
  'the card as its content type': (url, mark) => send(url, '{}', { 'content-type': `card/${mark.cc_number}` }),
  'too large': (url, mark) => send(url, JSON.stringify({ ...answersOf(mark), address2: 'x'.repeat(70_000) })),
  'a poisoned prototype': (url, mark) =>
    send(url, `{"__proto__":{"cc_number":"${mark.cc_number}"},"password":"${mark.core}"}`),
  'no captcha': (url, mark) => send(url, JSON.stringify(answersOf(mark))),
  'the card as captcha': (url, mark) => join(url, mark, { captcha: mark.cc_number }),
  'a card as a number': (url, mark) => join(url, mark, { cc_number: Number(mark.cc_number) }),
  'a card in a list': (url, mark) => join(url, mark, { cc_number: [mark.cc_number, mark.cc_cvv] }),
  'one digit too many': (url, mark) => join(url, mark, { cc_number: `${mark.cc_number}0` }),
  'a long CVC': (url, mark) => join(url, mark, { cc_cvv: `${mark.cc_number} ${mark.cc_cvv}` }),
  'an expired card': (url, mark) => join(url, mark, { cc_year: '2020' }),
  'an unknown sponsor': (url, mark) => join(url, mark, { sponsor_site_name: 'nobodyhere' }),
  'a card as sponsor': (url, mark) => join(url, mark, { sponsor_site_name: mark.cc_number }),
  'a card as username, nothing agreed': (url, mark) =>
    join(url, mark, { username: mark.cc_number, agreement_1: '0', agreement_2: '0' }),
  'a card as post code': (url, mark) => join(url, mark, { post_code: mark.cc_number }),
  'a card as email': (url, mark) => join(url, mark, { email: mark.cc_number }),
  'a taken username': (url, mark) => join(url, mark, { username: 'ana' }),
  'the password as username': (url, mark) => join(url, mark, { username: mark.password }),
  'a card in a trap': (url, mark) => join(url, mark, { hall_lantern: mark.cc_number }),
  'a card as product': (url, mark) => join(url, mark, { product_ids: mark.cc_number }),
  'a card as phone': (url, mark) =>
    post(url, 'twilio/send-verification-code', JSON.stringify({ phone_number: mark.cc_number })),
  'a card as grant': (url, mark) => post(url, 'office/session', JSON.stringify({ token: mark.cc_number })),
  'a card looked up as username': (url, mark) =>
    post(url, 'enrollment/validate_username', JSON.stringify({ username: mark.cc_number })),
  'a card in the query': (url, mark) =>
    fetch(`${url}/api/enrollment/get_enrollment_sponsor?sponsor_site=${mark.cc_number}&cvc=${mark.cc_cvv}`),
  'a card in a page’s query': (url, mark) =>
    fetch(`${url}/ana?cc_number=${mark.cc_number}&cc_cvv=${mark.cc_cvv}&password=${mark.core}`),
  'a card in the path': (url, mark) => fetch(`${url}/${mark.cc_number}`),
  'a card in a call’s path': (url, mark) => fetch(`${url}/api/enrollment/${mark.cc_number}/${mark.cc_cvv}`),
  'a card in a path that cannot be read': (url, mark) => fetch(`${url}/api/${mark.cc_number}%`),
  'a card as a page that was hit': (url, mark) => fetch(`${url}/api/replicated-sites/page-hits/${mark.cc_number}`),
  'a card as key': (url, mark) =>
    send(url, JSON.stringify(answersOf(mark)), { ...JSON_TYPE, 'idempotency-key': mark.cc_number }),
  'a card in headers': (url, mark) =>
    send(url, '{}', {
      ...JSON_TYPE,
      'user-agent': mark.cc_number,
      referer: `${url}/${mark.cc_number}`,
      cookie: `foyer_enrollment=${mark.cc_number}.${mark.core}`,
      'x-forwarded-for': mark.cc_number,
      authorization: `Basic ${btoa(`${mark.cc_number}:${mark.core}`)}`,
    }),
  'not HTTP at all': (url, mark) => utter(url, `${mark.cc_number} ${mark.cc_cvv} ${mark.core}\r\n\r\n`),
  'a header that cannot be': (url, mark) =>
    utter(url, `GET / HTTP/1.1\r\nHost: a\r\n${mark.cc_number}\u0001: ${mark.core}\r\n\r\n`),
  'a body that stops half way': (url, mark) =>
    utter(
      url,
      `POST /api/enrollment/add-enrollment HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"cc_number":"${mark.cc_number}","cc_cvv":"${mark.cc_cvv}","password":"${mark.core}"`,
    ),
}
