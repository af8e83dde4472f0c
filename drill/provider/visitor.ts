import { setTimeout as sleep } from 'node:timers/promises'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import { validAnswers } from '#server/test/answers.ts'
import type { TestCard } from '../leak-search/test-cards.ts'
import { createHttpClient, type HttpClient, Unreachable } from '../visitor/http-client.ts'
import { arrive, solveCaptcha } from '../visitor/visitor.ts'

/** What a visitor has been told in the end. */
export const outcomes = ['approved', 'declined', 'not charged', 'unknown'] as const
export type Told = (typeof outcomes)[number]

/** A visitor of a site that runs in front of an API host. */
export type Buyer = {
  card: TestCard
  enrollment_id: string
  cookie: string
  /** Everything the visitor was told about the payment, in order. */
  told: Told[]
  /** Didn't find out in time what happened to the payment. */
  isLeftAlone: boolean
}

export async function arriveAs(url: string, card: TestCard): Promise<Buyer> {
  const client = createHttpClient(url)
  const { enrollment_id, cookie } = await arrive(client, card.username)
  client.close()
  return { card, enrollment_id, cookie, told: [], isLeftAlone: false }
}

/** Presses Confirm and Pay. Without an answer the outcome is unknown. */
export async function press(
  url: string,
  buyer: Buyer,
  attempt: number,
  cc_number = buyer.card.cc_number,
): Promise<void> {
  const { username, password, cc_cvv, cc_month, cc_year } = buyer.card
  await withClient(url, async (client) => {
    const captcha = await solveCaptcha(client)
    const body = { ...validAnswers(username), password, cc_number, cc_cvv, cc_month, cc_year, captcha }
    const { status, body: reply } = await client.call('POST', '/enrollment/add-enrollment', {
      ...of(buyer, attempt),
      body,
    })
    const { payment } = reply as EnrollmentReply
    if (status < 300) hear(buyer, meanings[payment])
    else if (status === 422) hear(buyer, 'not charged')
  }).catch(ignoreLostAnswers)
}

/** Asks for the payment's outcome until it's known, as the page does. */
export async function learn(url: string, buyer: Buyer): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(PAUSE_MS)) {
    const state = await withClient(url, async (client) => {
      const { status, body } = await client.call('GET', '/enrollment/status', of(buyer, 1))
      return status === 200 ? (body as EnrollmentStatus).state : undefined
    }).catch(ignoreLostAnswers)
    if (!state || state === 'running') continue
    return hear(buyer, state === 'none' ? 'not charged' : state)
  }
  buyer.isLeftAlone = true
}

const PATIENCE_MS = 30_000
const PAUSE_MS = 200

const meanings: Record<EnrollmentReply['payment'], Told | undefined> = {
  Approved: 'approved',
  Declined: 'declined',
  Unknown: 'unknown',
  Pending: undefined,
}

const hear = (buyer: Buyer, told: Told | undefined) => {
  if (told) buyer.told.push(told)
}

const of = ({ enrollment_id, cookie }: Buyer, attempt: number) => ({ key: `${enrollment_id}.${attempt}`, cookie })

/** A client of its own, because a killed server leaves connections behind. */
async function withClient<Result>(url: string, work: (client: HttpClient) => Promise<Result>): Promise<Result> {
  const client = createHttpClient(url)
  return work(client).finally(client.close)
}

function ignoreLostAnswers(error: unknown): undefined {
  if (!(error instanceof Unreachable)) throw error
}
