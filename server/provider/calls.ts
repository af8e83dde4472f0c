import { API, calls } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { completePayload } from '#contract/payload.ts'
import type { World } from '#server/world/world.ts'
import {
  availabilityIn,
  callIn,
  documentsIn,
  nothingIn,
  packagesIn,
  paymentIn,
  sponsorIn,
  totalIn,
  verificationIn,
} from './answers.ts'
import { type Host, NoReply, type Reply } from './host.ts'
import { isRow, messagesIn, parseJson, textIn, Unreadable } from './reading.ts'

/** The specification's eleven calls, with the host's paths and how each answer is read. */

type Reader<Value> = (body: unknown, report: (what: string) => void) => Value
type HostCall<Value> = {
  method: 'GET' | 'POST'
  path: string
  read: Reader<Value>
  /** Changes nothing, so it may be sent again. */
  isRepeatable?: true
  /** The path isn't below the API's. */
  isFromRoot?: true
}
const call = <Value>(
  { method, path }: { method: 'GET' | 'POST'; path: string },
  read: Reader<Value>,
  options: Pick<HostCall<Value>, 'isRepeatable' | 'isFromRoot'> = {},
): HostCall<Value> => ({ method, path, read, ...options })
const lookup = { isRepeatable: true } as const

const hostCalls = {
  packages: call(calls.getPackages, packagesIn, lookup),
  documents: call(calls.getLegalDocuments, documentsIn, lookup),
  total: call(calls.sumOrder, totalIn, lookup),
  email: call(calls.validateEmail, availabilityIn('email'), lookup),
  username: call(calls.validateUsername, availabilityIn('username'), lookup),
  sponsor: call(calls.getSponsor, sponsorIn, lookup),
  enroll: call(calls.addEnrollment, paymentIn),
  sendCode: call(calls.sendVerificationCode, verificationIn),
  verifyCode: call(calls.verifyCode, verificationIn),
  sendCall: call({ ...calls.verifyCall, path: `${API}${calls.verifyCall.path}` }, callIn, { isFromRoot: true }),
  hitPage: call({ ...calls.hitPage, path: calls.hitPage.path.replace(/:.*$/, '') }, nothingIn),
} as const
type HostCalls = typeof hostCalls
export type HostCallName = keyof HostCalls
type ValueOf<Name extends HostCallName> = ReturnType<HostCalls[Name]['read']>

/**
 * lost: no answer, or an unreadable one; `isSent` if the host may have acted on the request. refused: the host understood and
 * did nothing; `message` and `fields` are for the visitor.
 */
export type Answer<Value> = { is: 'answer'; value: Value } | Refused | { is: 'lost'; why: string; isSent: boolean }

type Refused = { is: 'refused'; status: number } & Words

type Asking = Pick<World, 'now'> & { log: { warn: (about: Complaint, sentence: string) => void } }
/** Never contains a value of the answer. */
export type Complaint = { path: string; why: string; reference?: string }

export type Ask = ReturnType<typeof createAsk>

/** Calls the host. An answer we can't read is logged with its path and the reason. */
export function createAsk(host: Host, world: Asking) {
  const report = createReport(world)
  return async <Name extends HostCallName>(
    name: Name,
    fields: Record<string, string> = {},
    { site = '', ...about }: { site?: string; reference?: string } = {},
  ): Promise<Answer<ValueOf<Name>>> => {
    const {
      method,
      path,
      read,
      isRepeatable = false,
      isFromRoot,
    } = hostCalls[name] as unknown as HostCall<ValueOf<Name>>
    const url = host.urlOf(path + encodeURIComponent(site), isFromRoot)
    const reportHere = (why: string) => report({ path, why, ...about })
    const lose = (why: string, isSent: boolean) => {
      if (!about.reference) reportHere(why) // for an enrollment, the caller logs more
      return { is: 'lost', why, isSent } as const
    }
    try {
      const reply = await host.send({ method, url, fields, isRepeatable })
      if (isRefusal(reply)) return refusalIn(reply, reportHere)
      if (reply.status < 200 || reply.status > 299) return lose(`status ${reply.status}`, true)
      return { is: 'answer', value: read(parseJson(reply.bytes), reportHere) }
    } catch (error) {
      if (error instanceof Unreadable) return lose(error.message, true)
      if (error instanceof NoReply) return lose(error.message, error.isSent)
      throw error
    }
  }
}

/** Not a refusal: the host stopped waiting, but may have the whole request. */
const TIMED_OUT = 408
const isRefusal = ({ status }: Reply) => status >= 400 && status < 500 && status !== TIMED_OUT

/** With these statuses the host's message is about what was entered; otherwise it's for the operator. */
const ABOUT_INPUT = [400, 402, 404, 409, 410, 422]
const NO_WORDS: Words = { message: '', fields: {} }
type Words = { message: string; fields: Record<string, string[]> }

function refusalIn({ status, bytes }: Reply, report: (why: string) => void): Refused {
  const words = ABOUT_INPUT.includes(status) ? wordsIn(bytes) : NO_WORDS
  if (!words.message) report(`status ${status}`)
  return { is: 'refused', status, ...words }
}

/** A message, and messages by field. */
function wordsIn(bytes: Buffer): Words {
  try {
    const body = parseJson(bytes)
    const { message, error, fields, errors } = isRow(body) ? body : {}
    const byField = [fields, errors].find(isRow) ?? {}
    const known = Object.entries(byField).filter(([field]) => fieldsOfForm.has(field))
    const lists = Object.fromEntries(known.map(([field, each]) => [field, messagesIn(each)]))
    return { message: textIn(message) || textIn(error) || (Object.values(lists).flat()[0] ?? ''), fields: lists }
  } catch {
    return NO_WORDS
  }
}

const QUIET_MS = 60_000
const MAX_REMEMBERED = 1_000

/** Logs the same problem with the same call at most once a minute, but every problem with an enrollment. */
function createReport({ log, now }: Asking) {
  const reported = new Map<string, number>()
  return ({ path, why, ...about }: Complaint) => {
    const time = now().getTime()
    const last = reported.get(`${path} ${why}`) ?? Number.NEGATIVE_INFINITY
    if (time - last < QUIET_MS && !about.reference) return
    if (reported.size >= MAX_REMEMBERED) reported.clear()
    reported.set(`${path} ${why}`, time)
    log.warn({ path, why, ...about }, 'the API host’s answer can’t be used')
  }
}

/** Exactly the specification's fields, without our own: captcha, traps, and what the screen showed. */
export function payloadOf(order: Enrollment): Record<string, string> {
  const { captcha, hall_lantern, hall_umbrella, shown_total, shown_texts, shown_consent, after_unknown, ...fields } =
    completePayload(order)
  return fields as Record<string, string>
}

const fieldsOfForm = new Set([
  ...['first_name', 'last_name', 'business_name', 'mobile_phone', 'email', 'username', 'password'],
  ...['country', 'address', 'address2', 'city', 'state', 'post_code', 'cc_number', 'cc_month', 'cc_year', 'cc_cvv'],
])
