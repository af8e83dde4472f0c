import { starterIds } from './catalog-rows.ts'
import type { Answer } from './host.ts'
import { availability } from './people-rows.ts'
import { type Finding, fails, holds, isFields, type Row, type Run, shapeOf } from './row.ts'

/** Sends messages to the phone of the run. */
export const phoneRows: Row[] = [
  {
    id: 'code.send',
    group: 'phone',
    sentence: 'POST twilio/send-verification-code with phone_number: status (1 success), message',
    check: async ({ host, phone }) => {
      const { json } = await host.post('twilio/send-verification-code', { phone_number: phone })
      const { status, message } = isFields(json) ? json : {}
      if (typeof status !== 'number' || typeof message !== 'string' || (status !== 1 && !message))
        return fails(`Seen: ${statusOf(json)}`)
      return holds(status === 1 ? 'status 1' : `status ${status} and a message: no code was sent`)
    },
  },
  {
    id: 'code.impossible',
    group: 'phone',
    sentence: 'Send code with status not 1: server message',
    needs: ['code.send'],
    check: async ({ host }) => refused(await host.post('twilio/send-verification-code', { phone_number: '12' })),
  },
  {
    id: 'code.wrong',
    group: 'phone',
    sentence: 'Verify code failure: server message',
    needs: ['code.send'],
    check: async ({ host, phone }) =>
      refused(await host.post('twilio/verify-code', { phone_number: phone, code: '000001' })),
  },
  {
    id: 'call',
    group: 'phone',
    sentence: 'POST /api/twilio/verify-call with cellphone: success',
    needs: ['code.send'],
    check: async ({ host, phone }) => {
      const { json } = await host.post('/api/twilio/verify-call', { cellphone: phone })
      return isFields(json) && typeof json.success === 'boolean'
        ? holds(`success ${json.success}`)
        : fails(`Seen: ${shapeOf(json)}`)
    },
  },
]

/** Places one order with a declined card and one with an approved card. */
export const writeRows: Row[] = [
  {
    id: 'enroll.incomplete',
    group: 'write',
    sentence: 'POST enrollment/add-enrollment: full enrollment payload',
    needs: ['orders.total'],
    check: async (run) => {
      const { cc_number, password, ...incomplete } = payloadOf(run, run.cards.approved)
      const answer = await run.host.post('enrollment/add-enrollment', incomplete)
      return paymentOf(answer) === 'Approved'
        ? fails('Approved without a card and a password')
        : holds(`Status ${answer.status}`)
    },
  },
  {
    id: 'enroll.declined',
    group: 'write',
    sentence: "Payment not approved: dialog 'Payment Declined'",
    needs: ['enroll.incomplete'],
    check: async (run) => {
      const answer = await run.host.post('enrollment/add-enrollment', payloadOf(run, run.cards.declined))
      const payment = paymentOf(answer)
      if (typeof payment !== 'string')
        return fails(`Expected payment; seen: status ${answer.status}, ${shapeOf(answer.json)}`)
      if (payment === 'Approved') return fails('The card that should be declined was approved.')
      return tokenOf(answer) ? fails(`payment is '${payment}', and there is a token.`) : holds(`'${payment}'`)
    },
  },
  {
    id: 'enroll.approved',
    group: 'write',
    sentence: "Enrollment response: payment ('Approved' or other), token, vo_url",
    needs: ['enroll.declined'],
    check: async (run) => {
      const payload = payloadOf(run, run.cards.approved)
      const answer = await run.host.post('enrollment/add-enrollment', payload)
      const payment = paymentOf(answer)
      if (payment !== 'Approved')
        return fails(`payment is ${shapeOf(payment)}, not 'Approved' (status ${answer.status}).`)
      if (!tokenOf(answer)) return fails('Approved, but the token is empty.')
      const vo_url = isFields(answer.json) ? String(answer.json.vo_url ?? '') : ''
      if (!/^https?:\/\/[^/]+/.test(vo_url)) return fails(`vo_url isn't an address: ${shapeOf(vo_url)}`)
      run.found.joined = { email: payload.email, username: payload.username }
      return holds("'Approved', token and vo_url")
    },
  },
  {
    id: 'enroll.private',
    group: 'write',
    sentence: 'An answer never repeats a card number or a password',
    needs: ['enroll.approved'],
    check: async (run) => {
      const { cc_number, password } = payloadOf(run, run.cards.approved)
      const isRepeated = run.host.answers.some(({ text }) => text.includes(cc_number) || text.includes(password))
      return isRepeated ? fails('It was repeated.') : holds('Neither')
    },
  },
  {
    id: 'enroll.email-taken',
    group: 'write',
    sentence: 'Availability is checked on proceeding; if taken, the first server message is shown',
    needs: ['enroll.approved', 'email.messages'],
    check: async ({ host, found }) => availability(host, 'email', found.joined?.email ?? '', 'messages'),
  },
  {
    id: 'enroll.username-taken',
    group: 'write',
    sentence: 'A taken username has messages',
    needs: ['enroll.approved', 'username.messages'],
    check: async ({ host, found }) => availability(host, 'username', found.joined?.username ?? '', 'messages'),
  },
  {
    id: 'enroll.twice',
    group: 'write',
    sentence: 'One member, one order: the same username again is not approved',
    needs: ['enroll.approved'],
    check: async (run) => {
      const answer = await run.host.post('enrollment/add-enrollment', payloadOf(run, run.cards.approved))
      return paymentOf(answer) === 'Approved' ? fails('Approved a second time') : holds(`Status ${answer.status}`)
    },
  },
]

const statusOf = (json: unknown) =>
  isFields(json) ? `status ${shapeOf(json.status)}, message ${shapeOf(json.message)}` : shapeOf(json)

function refused({ json }: Answer): Finding {
  const { status, message } = isFields(json) ? json : {}
  const isRefused = status !== 1 && typeof message === 'string' && message !== ''
  return isRefused ? holds('A message') : fails(`Seen: ${statusOf(json)}`)
}

const paymentOf = ({ json }: Answer) => (isFields(json) ? json.payment : undefined)
const tokenOf = ({ json }: Answer) => (isFields(json) && typeof json.token === 'string' ? json.token : '')

/** Every field of the specification, for a recognizable test person. */
function payloadOf(run: Run, cc_number: string) {
  const { mark, sponsor, phone } = run
  const year = String(new Date().getUTCFullYear() + 2)
  const address = { address: '1 Conformance Way', address2: '', city: 'Reno', country: 'US', state: 'NV' }
  const billing = Object.fromEntries(Object.entries(address).map(([name, value]) => [`bill_${name}`, value]))
  const shipping = Object.fromEntries(Object.entries(address).map(([name, value]) => [`ship_${name}`, value]))
  return {
    sponsor_site_name: sponsor,
    business_name: '',
    product_ids: starterIds(run)[0] ?? '',
    autoship_product_ids: '',
    special_product_ids: '',
    first_name: 'Conformance',
    last_name: 'Kit',
    email: `${mark}@conformance.example`,
    ...address,
    mobile_phone: phone,
    post_code: '89501',
    username: mark,
    password: 'Paper-Lantern-7', // no part of the name, which hosts may refuse
    agreement_1: '1',
    agreement_2: '1',
    agreement_3: '1',
    is_shipping_different: '0',
    bill_first_name: 'Conformance',
    bill_last_name: 'Kit',
    ...billing,
    bill_zip_code: '89501',
    ...shipping,
    ship_zip_code: '89501',
    credit_card_expiration: `12/${year}`,
    cc_number,
    cc_month: '12',
    cc_year: year,
    cc_cvv: '123',
  }
}
