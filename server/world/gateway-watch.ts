import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import type { Log } from '#server/log.ts'

/** What this process knows of its calls to the gateway, for /readyz and /metrics. */
export type GatewayCalls = {
  /** How many calls in a row, of any kind, got no answer. */
  unanswered: number
  isAnswering: () => boolean
  /** How often a charge had each outcome: 'first approved', 'renewal declined'. */
  outcomes: Map<`${ChargeKind} ${string}`, number>
}
export const chargeKinds = ['first', 'renewal'] as const
export type ChargeKind = (typeof chargeKinds)[number]
export const chargeOutcomes = ['approved', 'declined', 'review', 'failed', 'unknown'] as const

/** One lost answer happens. With the default deadline, two in a row take less than a minute. */
const MAX_UNANSWERED = 2
const LOG_INTERVAL_MS = 60_000

/** Counts the calls of a gateway, and logs within a minute that it no longer answers, and when it answers again. */
export function watchGateway<Gateway extends PaymentGateway>(
  gateway: Gateway,
  { now, log }: { now: () => Date; log: Log },
): { payment: Gateway; calls: GatewayCalls } {
  let loggedAt = 0
  const calls: GatewayCalls = {
    unanswered: 0,
    isAnswering: () => calls.unanswered < MAX_UNANSWERED,
    outcomes: new Map(),
  }
  const recordAnswer = () => {
    if (!calls.isAnswering()) log.warn({ gateway: gateway.name }, 'the payment gateway answers again')
    calls.unanswered = 0
    loggedAt = 0
  }
  const recordSilence = () => {
    calls.unanswered += 1
    const time = now().getTime()
    if (calls.isAnswering() || time < loggedAt + LOG_INTERVAL_MS) return
    loggedAt = time
    const { unanswered } = calls
    log.error({ gateway: gateway.name, unanswered }, 'the payment gateway does not answer')
  }
  const watch =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      try {
        const answer = await call(...args)
        if (isUnknown(answer)) recordSilence()
        else recordAnswer()
        return answer
      } catch (error) {
        recordSilence()
        throw error
      }
    }
  const count =
    <Args extends unknown[], Answer extends { outcome: string }>(
      kind: ChargeKind,
      call: (...args: Args) => Promise<Answer>,
    ) =>
    async (...args: Args): Promise<Answer> => {
      let outcome = 'unknown'
      try {
        const answer = await call(...args)
        outcome = answer.outcome
        return answer
      } finally {
        const key = `${kind} ${outcome}` as const
        calls.outcomes.set(key, (calls.outcomes.get(key) ?? 0) + 1)
      }
    }
  const payment = {
    ...gateway,
    authorize: count('first', watch(gateway.authorize)),
    charge: count('renewal', watch(gateway.charge)),
    replaceCard: watch(gateway.replaceCard),
    lookup: watch(gateway.lookup),
    capture: watch(gateway.capture),
    void: watch(gateway.void),
    refund: watch(gateway.refund),
    transactions: watch(gateway.transactions),
  }
  return { payment, calls }
}

const isUnknown = (answer: unknown) => answer === 'unknown' || Object(answer).outcome === 'unknown'
