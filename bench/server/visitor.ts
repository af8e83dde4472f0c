import { randomInt } from 'node:crypto'
import { Agent, request } from 'node:http'
import { API } from '#contract/api.ts'
import { cardNumber } from '../../drill/test-data.ts'
import type { HttpClient } from '../../drill/visitor/http-client.ts'
import { answersOf, arrive, solveCaptcha, type VisitorRecord } from '../../drill/visitor/visitor.ts'

/** A visitor who has filled in the form and solved the captcha. */
export type Visitor = { heard: VisitorRecord; order: object; address: string }

const agent = new Agent({ keepAlive: true, scheduling: 'lifo' })

const randomDigits = (length: number) => Array.from({ length }, () => randomInt(10)).join('')

/** Each visitor has their own IP address, phone number and card. */
export async function fillInForm(caller: HttpClient): Promise<Visitor> {
  const heard = await arrive(caller)
  const captcha = await solveCaptcha(caller)
  const order = {
    ...answersOf(heard),
    mobile_phone: `+1202555${randomDigits(4)}`,
    cc_number: cardNumber('4929', randomInt(1e11)),
    captcha,
  }
  return { heard, order, address: [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.') }
}

/** Returns 'Approved', or the status and the start of another response. It is timed, so it does as little as possible. */
export const submitEnrollment = (url: string, { heard, order, address }: Visitor): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(order)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': `${heard.enrollment_id}.1`,
      cookie: heard.cookie,
      'x-forwarded-for': address,
    }
    request(`${url}${API}/enrollment/add-enrollment`, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve(text.includes('"payment":"Approved"') ? 'Approved' : `${response.statusCode} ${text.slice(0, 200)}`),
      )
    })
      .on('error', reject)
      .end(body)
  })
