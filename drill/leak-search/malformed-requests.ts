import { once } from 'node:events'
import { connect } from 'node:net'
import { validAnswers } from '#server/test/answers.ts'
import { solve } from '#server/test/solve-captcha.ts'
import type { TestCard } from './test-cards.ts'

/** A correctly filled form with a test card. */
const answersOf = ({ username, password, cc_number, cc_month, cc_year, cc_cvv }: TestCard) => ({
  ...validAnswers(username),
  password,
  cc_number,
  cc_month,
  cc_year,
  cc_cvv,
})

const JSON_TYPE = { 'content-type': 'application/json' }

const post = (url: string, path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  fetch(`${url}/api/${path}`, { method: 'POST', headers, body })

const send = (url: string, body: string, headers?: Record<string, string>) =>
  post(url, 'enrollment/add-enrollment', body, headers)

/** Enrolls with a test card, as the page does. Returns the payment's outcome. */
export async function enroll(url: string, card: TestCard, changes: Record<string, unknown> = {}): Promise<string> {
  const captcha = await solve(await (await fetch(`${url}/api/captcha/challenge`)).json())
  const reply = await send(url, JSON.stringify({ ...answersOf(card), captcha, ...changes }))
  const result = (await reply.json()) as { payment?: string; message?: string }
  return result.payment ?? `${reply.status} ${result.message}`
}

/** Sends raw bytes to the server's port and waits until it closes the connection. */
async function sendRaw(url: string, bytes: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  socket.end(bytes)
  await once(socket, 'close')
}

/** Requests with a card that must all be refused, so that errors are created and logged close to card data. */
export const malformedRequests: Record<string, (url: string, card: TestCard) => Promise<unknown>> = {
  'truncated JSON': (url, card) => send(url, JSON.stringify(answersOf(card)).slice(0, -1)),
  'JSON with an invalid start': (url, card) =>
    send(url, `{cc_number:${card.cc_number},"password":"${card.passwordCore}`),
  'a card as the whole body': (url, card) => send(url, card.cc_number),
  'a form': (url, card) =>
    send(url, new URLSearchParams(answersOf(card)).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    }),
  'plain text': (url, card) => send(url, JSON.stringify(answersOf(card)), { 'content-type': 'text/plain' }),
  'a card as content type': (url, card) => send(url, '{}', { 'content-type': `card/${card.cc_number}` }),
  'too large': (url, card) => send(url, JSON.stringify({ ...answersOf(card), address2: 'x'.repeat(70_000) })),
  'a poisoned prototype': (url, card) =>
    send(url, `{"__proto__":{"cc_number":"${card.cc_number}"},"password":"${card.passwordCore}"}`),
  'no captcha': (url, card) => send(url, JSON.stringify(answersOf(card))),
  'a card as captcha': (url, card) => enroll(url, card, { captcha: card.cc_number }),
  'a card as a number': (url, card) => enroll(url, card, { cc_number: Number(card.cc_number) }),
  'a card in a list': (url, card) => enroll(url, card, { cc_number: [card.cc_number, card.cc_cvv] }),
  'one digit too many': (url, card) => enroll(url, card, { cc_number: `${card.cc_number}0` }),
  'a long CVC': (url, card) => enroll(url, card, { cc_cvv: `${card.cc_number} ${card.cc_cvv}` }),
  'an expired card': (url, card) => enroll(url, card, { cc_year: '2020' }),
  'an unknown sponsor': (url, card) => enroll(url, card, { sponsor_site_name: 'nobodyhere' }),
  'a card as sponsor': (url, card) => enroll(url, card, { sponsor_site_name: card.cc_number }),
  'a card as username, agreements missing': (url, card) =>
    enroll(url, card, { username: card.cc_number, agreement_1: '0', agreement_2: '0' }),
  'a card as post code': (url, card) => enroll(url, card, { post_code: card.cc_number }),
  'a card as email': (url, card) => enroll(url, card, { email: card.cc_number }),
  'a taken username': (url, card) => enroll(url, card, { username: 'ana' }),
  'the password as username': (url, card) => enroll(url, card, { username: card.password }),
  'a card in a trap': (url, card) => enroll(url, card, { hall_lantern: card.cc_number }),
  'a card as product': (url, card) => enroll(url, card, { product_ids: card.cc_number }),
  'a card as phone': (url, card) =>
    post(url, 'twilio/send-verification-code', JSON.stringify({ phone_number: card.cc_number })),
  'a card as grant': (url, card) => post(url, 'office/session', JSON.stringify({ token: card.cc_number })),
  'a card looked up as username': (url, card) =>
    post(url, 'enrollment/validate_username', JSON.stringify({ username: card.cc_number })),
  'a card in the query': (url, card) =>
    fetch(`${url}/api/enrollment/get_enrollment_sponsor?sponsor_site=${card.cc_number}&cvc=${card.cc_cvv}`),
  'a card in a page’s query': (url, card) =>
    fetch(`${url}/ana?cc_number=${card.cc_number}&cc_cvv=${card.cc_cvv}&password=${card.passwordCore}`),
  'a card in the path': (url, card) => fetch(`${url}/${card.cc_number}`),
  'a card in a call’s path': (url, card) => fetch(`${url}/api/enrollment/${card.cc_number}/${card.cc_cvv}`),
  'a card in an undecodable path': (url, card) => fetch(`${url}/api/${card.cc_number}%`),
  'a card as a page hit': (url, card) => fetch(`${url}/api/replicated-sites/page-hits/${card.cc_number}`),
  'a card as key': (url, card) =>
    send(url, JSON.stringify(answersOf(card)), { ...JSON_TYPE, 'idempotency-key': card.cc_number }),
  'a card in headers': (url, card) =>
    send(url, '{}', {
      ...JSON_TYPE,
      'user-agent': card.cc_number,
      referer: `${url}/${card.cc_number}`,
      cookie: `foyer_enrollment=${card.cc_number}.${card.passwordCore}`,
      'x-forwarded-for': card.cc_number,
      authorization: `Basic ${btoa(`${card.cc_number}:${card.passwordCore}`)}`,
    }),
  'not HTTP at all': (url, card) => sendRaw(url, `${card.cc_number} ${card.cc_cvv} ${card.passwordCore}\r\n\r\n`),
  'an invalid header': (url, card) =>
    sendRaw(url, `GET / HTTP/1.1\r\nHost: a\r\n${card.cc_number}\u0001: ${card.passwordCore}\r\n\r\n`),
  'a body that ends early': (url, card) =>
    sendRaw(
      url,
      `POST /api/enrollment/add-enrollment HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"cc_number":"${card.cc_number}","cc_cvv":"${card.cc_cvv}","password":"${card.passwordCore}"`,
    ),
}
