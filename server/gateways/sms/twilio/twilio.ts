import * as z from 'zod/mini'
import { type AccountCheck, accountOk } from '#server/gateways/account.ts'
import { readLimited } from '#server/gateways/response.ts'
import type { CheckResult, SendResult, SmsGateway } from '#server/gateways/sms/port.ts'

type Account = {
  /** The SID of the account with its auth token, or of an API key with its secret. */
  account_sid: string
  auth_token: string
  service_sid: string
  base_url: string
  deadline_seconds?: number
  /** Logs why a result is unknown, without numbers, codes or credentials. */
  log: { error: (details: object, message: string) => void }
}

/** Results by the status of a successful response, or by the vendor's error code. */
type Outcomes<Outcome> = ReadonlyMap<string, Outcome>

const sendResults: Outcomes<SendResult> = new Map([
  ['pending', 'sent'],
  ['60200', 'impossible'],
  ['60202', 'too_often'], // checked five times: no new code until this one expires
  ['60203', 'too_often'],
  ['60212', 'too_often'],
  ['60205', 'unreachable'],
  ['60410', 'blocked'],
  ['60605', 'blocked'],
])

const checkResults: Outcomes<CheckResult> = new Map([
  ['approved', 'right'],
  ['pending', 'wrong'],
  ['60200', 'wrong'],
  ['60202', 'gone'],
  ['20404', 'gone'],
  ['canceled', 'gone'],
  ['max_attempts_reached', 'gone'],
  ['deleted', 'gone'],
  ['failed', 'gone'],
  ['expired', 'gone'],
])

/** For the operator: what errors mean that are not about the number. */
const explanations: ReadonlyMap<string, string> = new Map([
  ['20003', 'TWILIO_ACCOUNT_SID or TWILIO_AUTH_TOKEN is wrong'],
  ['20404', 'TWILIO_SERVICE_SID is wrong'],
  ['20429', 'the account sends too many requests at once'],
  ['21608', 'a trial account can only send to its verified numbers'],
  ['60223', 'this channel is turned off for the service'],
  ['60238', 'the account or the country is blocked'],
])

const OkReply = z.object({ status: z.string() })
const ErrorReply = z.object({ code: z.number() })
const ServiceReply = z.object({ sid: z.string() })

/** Errors that only another setting can fix. */
const wrongAccount = new Set(['20003', '20404', '20005', '20008'])
const noAnswer = (reason: string): AccountCheck => ({ state: 'unknown', why: `Twilio did not answer: ${reason}.` })

/**
 * Twilio Verify creates, stores and counts the codes. Until a code expires, the same code is sent again. Each code has
 * five sends and five tries.
 */
export function twilioVerify({ deadline_seconds = 8, log, ...account }: Account): SmsGateway {
  const credentials = Buffer.from(`${account.account_sid}:${account.auth_token}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}`, accept: 'application/json' }

  const request = async (options: { method: string; body?: URLSearchParams }, ...resource: string[]) => {
    const service = `${account.base_url}/v2/Services/${account.service_sid}`
    const reply = await fetch([service, ...resource].join('/'), {
      ...options,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(deadline_seconds * 1000),
    })
    const text = await readLimited(reply)
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    if (reply.status >= 500 || !isJson) throw new Error(`status ${reply.status}${isJson ? '' : ', not JSON'}`)
    const answer: unknown = JSON.parse(text)
    return reply.ok ? { answer } : { code: String(z.parse(ErrorReply, answer).code) }
  }

  /** The status of a successful response, or the vendor's error code. */
  const post = async (resource: string, form: Record<string, string>): Promise<string> => {
    const { answer, code } = await request({ method: 'POST', body: new URLSearchParams(form) }, resource)
    return code ?? z.parse(OkReply, answer).status
  }

  /** Reads the service that sends the codes. */
  const checkAccount = async (): Promise<AccountCheck> => {
    try {
      const { answer, code } = await request({ method: 'GET' })
      if (code === undefined)
        return z.safeParse(ServiceReply, answer).success ? accountOk : noAnswer('an unexpected response')
      const why = `Twilio refused: ${explanations.get(code) ?? `see its error ${code}`}.`
      return { state: wrongAccount.has(code) ? 'wrong' : 'unknown', why }
    } catch (error) {
      return noAnswer(reasonOf(error))
    }
  }

  const outcome = async <Outcome>(
    outcomes: Outcomes<Outcome>,
    resource: string,
    form: Record<string, string>,
  ): Promise<Outcome | 'unknown'> => {
    try {
      const status = await post(resource, form)
      const result = outcomes.get(status)
      if (!result)
        log.error({ said: status }, `Twilio refused: ${explanations.get(status) ?? 'see its list of error codes'}.`)
      return result ?? 'unknown'
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'Twilio sent no readable response.')
      return 'unknown'
    }
  }

  return {
    name: 'twilio',
    send: (To, Channel) => outcome(sendResults, 'Verifications', { To, Channel }),
    check: (To, Code) => outcome(checkResults, 'VerificationCheck', { To, Code }),
    checkAccount,
  }
}

/** In our own words, because a parser's message may quote the number. */
function reasonOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) return 'an unexpected response'
  if (error instanceof SyntaxError) return 'not JSON'
  if (!(error instanceof Error)) return 'unknown'
  const cause = error.cause instanceof Error ? error.cause : error // fetch itself only reports that it failed
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
