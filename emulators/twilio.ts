import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a response can be missing or unusable. */
export const faults = [
  'dropped_before',
  'dropped_after',
  'slow',
  'status_500',
  'html',
  'half',
  'other_shape',
  'endless',
] as const
export type Fault = (typeof faults)[number]

const VALID_MINUTES = 10
const MAX_SENDS = 5
const MAX_CHECKS = 5

type Options = { account_sid: string; auth_token: string; service_sid: string; port: number; now: () => Date }
type Message = { to: string; channel: string; code: string }
type Verification = { sid: string; code: string; created: Date; messages: Message[]; checks: number }
type Form = Record<string, string>
type Reply = { status: number; body: object }

/** The vendor's documented error codes, with status and title. */
const errors = {
  20003: [401, 'Authenticate'],
  20004: [405, 'Method not allowed'],
  20404: [404, 'The requested resource was not verification'],
  20429: [429, 'Too Many Requests'],
  21608: [403, 'The phone number is unverified. Trial accounts cannot send to unverified numbers'],
  60200: [400, 'Invalid parameter'],
  60202: [429, 'Max check attempts reached'],
  60203: [429, 'Max send attempts reached'],
  60205: [403, 'SMS is not supported by landline phone number'],
  60212: [429, 'Too many concurrent requests for phone number'],
  60223: [400, 'Delivery channel disabled'],
  60410: [403, 'The destination phone number has been temporarily blocked by Twilio due to fraudulent activities'],
  60605: [403, 'The destination phone number has been blocked by Verify Geo-Permissions'],
} as const
type Code = keyof typeof errors

const errorReply = (code: Code, of = ''): Reply => {
  const [status, title] = errors[code]
  const message = of ? `${title}: ${of}` : title
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } }
}

const byLastDigits: Record<string, Code> = {
  '0402': 60212,
  '0403': 60410,
  '0408': 21608,
  '0423': 60223,
  '0429': 20429,
  '0451': 60605,
}

/**
 * For tests: implements the documented Twilio Verify API and rejects everything else. Sends nothing: messages are in
 * `sent`. The number decides, see above; …0404 is a landline, and responses for …0500 are late.
 */
export async function twilioEmulator({ account_sid, auth_token, service_sid, port, now }: Options) {
  const verifications = new Map<string, Verification>()
  const sent: Message[] = []
  const received: { path: string; body: string }[] = []
  let fault: Fault | undefined
  let statusOfChecks: string | undefined

  const activeVerification = (to: string): Verification | undefined => {
    const latest = verifications.get(to)
    return latest && now().getTime() < latest.created.getTime() + VALID_MINUTES * 60_000 ? latest : undefined
  }

  const describeVerification = (to: string, { sid, created, messages }: Verification, status: string) => ({
    sid,
    service_sid,
    account_sid,
    to,
    channel: messages.at(-1)?.channel,
    status,
    valid: status === 'approved',
    date_created: created.toISOString(),
    date_updated: now().toISOString(),
    amount: null,
    payee: null,
  })

  /** Sends the same code again for ten minutes. */
  const send = ({ To = '', Channel = '' }: Form): Reply => {
    if (Channel !== 'sms' && Channel !== 'call') return errorReply(60200, `Channel ${Channel}`)
    const error = byLastDigits[To.slice(-4)]
    if (error) return errorReply(error, To)
    if (To.endsWith('0404') && Channel === 'sms') return errorReply(60205, To)
    const verification = activeVerification(To) ?? {
      sid: newSid('VE'),
      code: sixDigits(),
      created: now(),
      messages: [],
      checks: 0,
    }
    if (verification.checks >= MAX_CHECKS) return errorReply(60202)
    if (verification.messages.length >= MAX_SENDS) return errorReply(60203)
    verifications.set(To, verification)
    const message = { to: To, channel: Channel, code: verification.code }
    verification.messages.push(message)
    sent.push(message)
    const send_code_attempts = verification.messages.map(({ channel }) => ({
      time: now().toISOString(),
      channel,
      attempt_sid: newSid('VL'),
    }))
    const url = `https://verify.twilio.com/v2/Services/${service_sid}/Verifications/${verification.sid}`
    const body = {
      ...describeVerification(To, verification, 'pending'),
      lookup: {},
      sna: null,
      send_code_attempts,
      url,
    }
    return { status: 201, body }
  }

  const check = ({ To = '', Code = '' }: Form): Reply => {
    if (!/^[0-9A-Za-z]{4,10}$/.test(Code)) return errorReply(60200, 'Code')
    const verification = activeVerification(To)
    if (!verification) return errorReply(20404)
    if (verification.checks >= MAX_CHECKS) return errorReply(60202)
    verification.checks++
    const isCorrect = verification.code === Code
    if (isCorrect) verifications.delete(To)
    const status = statusOfChecks ?? (isCorrect ? 'approved' : 'pending')
    return { status: 200, body: { ...describeVerification(To, verification, status), sna_attempts_error_codes: [] } }
  }

  const calls: Record<string, { takes: string; answer: (form: Form) => Reply }> = {
    [`/v2/Services/${service_sid}/Verifications`]: { takes: 'Channel,To', answer: send },
    [`/v2/Services/${service_sid}/VerificationCheck`]: { takes: 'Code,To', answer: check },
  }
  const service = { sid: service_sid, account_sid, friendly_name: 'Foyer', code_length: 6, lookup_enabled: false }
  const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`

  const replyTo = ({ url = '', method, headers }: IncomingMessage, body: string): Reply => {
    if (headers.authorization !== authorization) return errorReply(20003)
    if (method === 'GET' && url === `/v2/Services/${service_sid}`) return { status: 200, body: service }
    const call = calls[url]
    if (!call) return errorReply(20404)
    if (method !== 'POST') return errorReply(20004)
    if (!/^application\/x-www-form-urlencoded(;|$)/.test(headers['content-type'] ?? '')) return errorReply(60200)
    const pairs = [...new URLSearchParams(body)]
    const names = pairs.map(([name]) => name).sort()
    if (String(names) !== call.takes) return errorReply(60200, `has ${names}, takes ${call.takes}`)
    const form = Object.fromEntries(pairs)
    if (!/^\+[1-9]\d{6,14}$/.test(form.To ?? '')) return errorReply(60200, `To ${form.To}`)
    return call.answer(form)
  }

  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => '')
    received.push({ path: request.url ?? '', body })
    if (fault === 'dropped_before') return request.socket.destroy()
    const answer = replyTo(request, body)
    if (fault === 'dropped_after') return request.socket.destroy()
    if (fault === 'slow' || /0500(&|$)/.test(body)) await sleep(2_000, undefined, { ref: false })
    write(response, answer, fault)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    /** Every raw request. */
    received,
    /** From now on, every response fails like this; undefined: none. */
    fail: (next: Fault | undefined) => {
      fault = next
    },
    /** From now on, every check returns this status; undefined: the correct one. */
    answerChecksWith: (status: string | undefined) => {
      statusOfChecks = status
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function write(response: ServerResponse, { status, body }: Reply, fault: Fault | undefined) {
  if (response.destroyed) return
  const text = JSON.stringify(body)
  const isHtml = fault === 'html' || fault === 'status_500'
  response.writeHead(fault === 'status_500' ? 500 : status, {
    'content-type': isHtml ? 'text/html' : 'application/json',
  })
  if (isHtml) return response.end('<!doctype html><title>Upstream</title><p>approved</p>')
  const corrupted: Partial<Record<Fault, string>> = {
    half: text.slice(0, text.length / 2),
    other_shape: JSON.stringify([{ approved: true }]),
    endless: text + ' '.repeat(5 * 2 ** 20),
  }
  return response.end((fault && corrupted[fault]) ?? text)
}

const newSid = (kind: string) => `${kind}${randomBytes(16).toString('hex')}`

const sixDigits = () => String(randomInt(1_000_000)).padStart(6, '0')
