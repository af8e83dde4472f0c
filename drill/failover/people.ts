import { setTimeout as sleep } from 'node:timers/promises'
import type { Enrollment } from '#contract/enrollment.ts'
import { officeCalls } from '#contract/office/office.ts'
import { createPayment } from '#web/enroll/steps/payment/payment.ts'
import { type HttpClient, type HttpResponse, requestMethods, Unreachable } from '../visitor/http-client.ts'
import {
  answersOf,
  arrive,
  callsOf,
  cards,
  checkStillApproved,
  solveCaptcha,
  type VisitorRecord,
} from '../visitor/visitor.ts'

/** The drill sees an answer at most this much later. */
const POLL_MS = 20
const PAUSE_MS = 300
const DEFAULT_WAIT_MS = 1000
const RECENT = 32
const MEMBER_PAUSE_MS = 500

/** What people were shown that nobody should see because a database moved. */
export const complaints = {
  typedAgain: 'had to correct or type something again',
  pressedAgain: 'saw an error and pressed again',
  bareOffice: 'could not use the office',
  barePage: 'got a page without sponsor and packages',
  declined: 'were told that a good card was declined',
} as const
export type Complaints = Record<keyof typeof complaints, string[]>

/** As long as a page waits for one call. */
const LONGEST_WAIT_MS = 60_000

/** What a page waits for before it sends the same request again. */
const waitMs = ({ headers }: HttpResponse) => Number(headers['retry-after'] ?? 0) * 1000 || DEFAULT_WAIT_MS

/** Sends the same request again while it is told to wait, as the browser's calls do. */
function patient(client: HttpClient): HttpClient {
  const send: HttpClient['send'] = async (...request) => {
    for (const end = performance.now() + LONGEST_WAIT_MS; ; ) {
      const response = await client.send(...request)
      if (response.status !== 503 || !response.headers['retry-after'] || performance.now() > end) return response
      await sleep(waitMs(response))
    }
  }
  return { ...client, ...requestMethods(send) }
}

export type People = ReturnType<typeof startPeople>

/** Visitors who join, members who sign in, and readers of a page, one after another in each lane, with good cards. */
export function startPeople(client: HttpClient, lanes: { visitors: number; members: number; readers: number }) {
  const records: VisitorRecord[] = []
  const found: Complaints = { typedAgain: [], pressedAgain: [], bareOffice: [], barePage: [], declined: [] }
  const approvalTimes: number[] = []
  const counts = { signIns: 0, pages: 0 }
  let isOpen = true
  let isGone = false
  let checkedCount = 0

  const stay = () => {
    if (isGone) throw new Error('The page was closed.')
  }
  /** Repeats a request as a page does, until there is an answer. */
  const patiently = async (send: () => Promise<HttpResponse>): Promise<HttpResponse> => {
    for (;;) {
      stay()
      const response = await send().catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error
      })
      if (response && response.status !== 503) return response
      await sleep(response ? waitMs(response) : PAUSE_MS)
    }
  }
  const untilReached = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;)
      try {
        stay()
        return await work()
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        await sleep(PAUSE_MS)
      }
  }

  const join = async () => {
    const record = await untilReached(() => arrive(client))
    records.push(record)
    const payment = createPayment({
      calls: callsOf(patient(client), record),
      enrollment_id: record.enrollment_id,
      saveToken: () => undefined,
      now: () => Date.now(),
      pause: (milliseconds) => sleep(milliseconds),
    })
    const press = async () => {
      const captcha = await untilReached(() => solveCaptcha(client))
      let outcome = await payment.submit({ ...answersOf(record), cc_number: cards.good, captcha } as Enrollment)
      while (outcome.is === 'running') {
        stay()
        await sleep(PAUSE_MS)
        outcome = await payment.check().catch(() => ({ is: 'running' as const }))
      }
      return outcome
    }
    for (;;) {
      const outcome = await press()
      switch (outcome.is) {
        case 'approved':
        case 'paid':
          return void approvalTimes.push(performance.now())
        case 'rejected': {
          const fields = Object.keys(outcome.fields)
          found[fields.length ? 'typedAgain' : 'pressedAgain'].push(`${fields} ${outcome.message}`)
          if (fields.includes('username') || fields.includes('email')) return
          break
        }
        case 'declined':
          found.declined.push(JSON.stringify(outcome))
          break
        default:
          found.pressedAgain.push(JSON.stringify(outcome))
      }
      await sleep(PAUSE_MS)
    }
  }

  const visitOffice = async () => {
    const approved = records.filter((record) => record.approved)
    const member = approved[Math.floor(Math.random() * approved.length)]
    await sleep(MEMBER_PAUSE_MS)
    if (!member) return
    const { username: name, password } = answersOf(member)
    const body = { name, password }
    const signedIn = await patiently(() => client.call('POST', officeCalls.signIn.path, { body }))
    counts.signIns += 1
    if (signedIn.status !== 200) return void found.bareOffice.push(`sign-in: ${signedIn.status} ${signedIn.text}`)
    const cookie = signedIn.cookies.map((text) => text.split(';')[0]).join('; ')
    const office = await patiently(() => client.call('GET', officeCalls.getOffice.path, { cookie }))
    if (office.status !== 200) found.bareOffice.push(`office: ${office.status} ${office.text}`)
  }

  const readPage = async () => {
    const page = await patiently(() => client.get('/ana'))
    counts.pages += 1
    const [, start = '{}'] = /<script type="application\/json" id="start">(.*?)<\/script>/.exec(page.text) ?? []
    const { sponsor, packages } = JSON.parse(start)
    if (page.status !== 200 || !sponsor?.name || !packages?.length)
      found.barePage.push(`${page.status}, ${sponsor ? '' : 'no sponsor, '}${packages?.length ? '' : 'no packages'}`)
    await sleep(PAUSE_MS)
  }

  const errors: string[] = []
  const repeat = async (act: () => Promise<void>) => {
    while (isOpen) {
      await act().catch((error: unknown) => isGone || errors.push(String(error)))
    }
  }
  const running = Promise.all([
    ...Array.from({ length: lanes.visitors }, () => repeat(join)),
    ...Array.from({ length: lanes.members }, () => repeat(visitOffice)),
    ...Array.from({ length: lanes.readers }, () => repeat(readPage)),
  ])

  return {
    records,
    complaints: found,
    counts,
    errors,
    /** The first enrollment that was answered after a moment, as seconds since then. */
    secondsUntilApproval: async (since: number, maxSeconds: number): Promise<number> => {
      for (const end = since + maxSeconds * 1000; performance.now() < end; await sleep(POLL_MS)) {
        const time = approvalTimes.find((time) => time > since)
        if (time) return (time - since) / 1000
      }
      return maxSeconds
    },
    /** Seconds from one enrollment to the next, at the median. */
    usualPause: (): number => {
      const pauses = approvalTimes.slice(1).map((time, index) => time - (approvalTimes[index] ?? time))
      return (pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 0) / 1000
    },
    /** Recently approved visitors ask again: the answer must still be "Approved". */
    checkApprovals: async () => {
      const approved = records.filter((record) => record.approved)
      await Promise.all(approved.slice(checkedCount).map((record) => checkStillApproved(client, record)))
      checkedCount = Math.max(0, approved.length - RECENT)
      return approved.length
    },
    /** Everybody finishes what they began. */
    leave: async () => {
      isOpen = false
      await running
    },
    /** Everybody closes the page, whatever they wait for. */
    abandon: async () => {
      isGone = true
      isOpen = false
      await running
    },
  }
}
