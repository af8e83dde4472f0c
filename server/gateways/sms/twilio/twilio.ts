import * as z from 'zod/mini'
import { readLimited } from '#server/gateways/response.ts'
import type { CheckResult, SendResult, SmsGateway } from '#server/gateways/sms/port.ts'

type Account = {
  /** Of the account or of an API key, with the token or secret that belongs to it. */
  account_sid: string
  auth_token: string
  service_sid: string
  base_url: string
  deadline_seconds?: number
  /** Hears why an outcome is unknown. Numbers, codes and keys never get here. */
  log: { error: (details: object, message: string) => void }
}

/** What a call comes to: by the status of an answer that is well, by the vendor's code of one that is not. */
type Outcomes<Outcome> = ReadonlyMap<string, Outcome>

const sendResults: Outcomes<SendResult> = new Map([
  ['pending', 'sent'],
  ['60200', 'impossible'],
  ['60202', 'too_often'], // checked five times: no new one until it has expired
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

/** For the operator: what a refusal of ours, not of the number, means. */
const explanations: ReadonlyMap<string, string> = new Map([
  ['20003', 'it does not know TWILIO_ACCOUNT_SID with TWILIO_AUTH_TOKEN'],
  ['20404', 'it does not know TWILIO_SERVICE_SID'],
  ['20429', 'the account sends too many requests at once'],
  ['21608', 'a trial account reaches only the numbers that it has verified'],
  ['60223', 'the service has this channel switched off'],
  ['60238', 'it blocks the account or the country'],
])

const OkReply = z.object({ status: z.string() })
const ErrorReply = z.object({ code: z.number() })

/**
 * Twilio Verify, which makes, keeps and counts the codes. Until a code has expired the same one is sent again; five
 * sends and five tries belong to it.
 */
export function twilioVerify({ deadline_seconds = 8, log, ...account }: Account): SmsGateway {
  const credentials = Buffer.from(`${account.account_sid}:${account.auth_token}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}`, accept: 'application/json' }

  const post = async (resource: string, form: Record<string, string>): Promise<string> => {
    const reply = await fetch(`${account.base_url}/v2/Services/${account.service_sid}/${resource}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.timeout(deadline_seconds * 1000),
    })
    const text = await readLimited(reply)
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    if (reply.status >= 500 || !isJson) throw new Error(`status ${reply.status}${isJson ? '' : ', not JSON'}`)
    const answer: unknown = JSON.parse(text)
    return reply.ok ? z.parse(OkReply, answer).status : String(z.parse(ErrorReply, answer).code)
  }

  const outcome = async <Outcome>(
    outcomes: Outcomes<Outcome>,
    resource: string,
    form: Record<string, string>,
  ): Promise<Outcome | 'unknown'> => {
    try {
      const said = await post(resource, form)
      const known = outcomes.get(said)
      if (!known) log.error({ said }, `Twilio refused: ${explanations.get(said) ?? 'see its list of error codes'}.`)
      return known ?? 'unknown'
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'Twilio gave no answer that can be understood.')
      return 'unknown'
    }
  }

  return {
    name: 'twilio',
    send: (To, Channel) => outcome(sendResults, 'Verifications', { To, Channel }),
    check: (To, Code) => outcome(checkResults, 'VerificationCheck', { To, Code }),
  }
}

/** In our own words: a parser's message may quote the number. */
function reasonOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) return 'another shape than it documents'
  if (error instanceof SyntaxError) return 'not JSON'
  if (!(error instanceof Error)) return 'unknown'
  const cause = error.cause instanceof Error ? error.cause : error // fetch only says that it failed
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
