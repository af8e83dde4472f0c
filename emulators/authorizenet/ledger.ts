import { isExpired } from '#contract/card.ts'
import { type RenewalStep, renewalStep, type TestCard, testCardFor } from '#server/gateways/payment/cards.ts'
import { type CardOnFile, emulatedProfiles } from './profiles.ts'

/** For tests: the vendor's transactions and operations on them. */

export type Entry = {
  transId: string
  transactionType: string
  transactionStatus: string
  amount: number
  invoiceNumber: string
  customerId: string
  lastFour: string
  submitted: Date
  responseCode: string
  reason: string
  avs: string
  cvv: string
  networkTransId: string
  rawResponseCode?: string
  card?: string
  refTransId?: string
  batchId?: string
  /** The stored card that was charged. */
  profile?: { customerProfileId: string; customerPaymentProfileId: string }
  isDisputedOnceSettled?: boolean
}

/** Replaces the outcome of the next authorization. With transId '0' no transaction is recorded. */
type Verdict = Partial<
  Pick<Entry, 'responseCode' | 'reason' | 'avs' | 'cvv' | 'transactionStatus' | 'rawResponseCode'>
> & {
  transId?: '0'
}

export type TransactionResult = Partial<Entry> & {
  profileResult?: ReturnType<ReturnType<typeof emulatedProfiles>['keepCard']> | undefined
}

type TransactionRequest = {
  transactionType: string
  amount?: string
  payment?: { creditCard: { cardNumber: string; expirationDate: string } }
  profile?: { createProfile?: unknown; customerProfileId?: string; paymentProfile?: { paymentProfileId?: string } }
  refTransId?: string
  order?: { invoiceNumber?: string }
  customer?: { id?: string }
  billTo?: object
  transactionSettings?: { setting: { settingName: string; settingValue: string }[] }
}

/** The vendor's codes for the decision of each test card. */
const verdictByDecision: Record<TestCard['decision'], Verdict> = {
  held: { responseCode: '1', reason: '1' },
  review: { responseCode: '4', reason: '253' },
  bank: { responseCode: '2', reason: '2' },
  card: { responseCode: '3', reason: '128' },
  input: { responseCode: '2', reason: '65' },
  fraud: { responseCode: '2', reason: '251' },
  failed: { responseCode: '3', reason: '13', transId: '0' },
}
const verdictFor = ({ decision, issuer_code }: TestCard): Verdict => ({
  ...verdictByDecision[decision],
  ...(issuer_code && { rawResponseCode: issuer_code }),
})

/** The vendor's reason codes for the issuer's codes; all others are 2. */
const reasonByIssuerCode: Record<string, string> = { '43': '4', '54': '8' }

const verdictForStep = (step: RenewalStep): Verdict =>
  typeof step === 'object'
    ? { responseCode: '2', reason: reasonByIssuerCode[step.issuer_code] ?? '2', rawResponseCode: step.issuer_code }
    : step === 'review'
      ? verdictByDecision.review
      : verdictByDecision.held

const statusByResponse: Record<string, string> = {
  1: 'authorizedPendingCapture',
  2: 'declined',
  3: 'generalError',
  4: 'FDSAuthorizedPendingReview',
}
const CAN_BE_VOIDED = [
  'authorizedPendingCapture',
  'capturedPendingSettlement',
  'refundPendingSettlement',
  'FDSPendingReview',
  'FDSAuthorizedPendingReview',
]
const onSettlement: Record<string, string> = {
  capturedPendingSettlement: 'settledSuccessfully',
  refundPendingSettlement: 'refundSettledSuccessfully',
  declined: 'declined',
  voided: 'voided',
}
const rejected = (reason: string) => ({ responseCode: '3', reason, transId: '0' })

export function emulatedLedger(now: () => Date) {
  const entries = new Map<string, Entry>()
  const batches: { batchId: string; settled: Date }[] = []
  const verdicts: Verdict[] = []
  let ids = 60_000_000_000
  const newId = () => String(++ids)
  const profiles = emulatedProfiles(newId)

  const add = (entry: Partial<Entry>): Entry => {
    const transId = newId()
    const completeEntry: Entry = {
      transId,
      networkTransId: `NET${transId}`,
      transactionType: 'authOnlyTransaction',
      transactionStatus: 'authorizedPendingCapture',
      amount: 99,
      invoiceNumber: '',
      customerId: '',
      lastFour: '4242',
      submitted: now(),
      responseCode: '1',
      reason: '1',
      avs: 'Y',
      cvv: 'M',
      ...entry,
    }
    entries.set(completeEntry.transId, completeEntry)
    return completeEntry
  }

  const isDuplicate = (request: TransactionRequest, card: string) => {
    const duplicateWindow = request.transactionSettings?.setting.find(
      ({ settingName }) => settingName === 'duplicateWindow',
    )
    const since = now().getTime() - Number(duplicateWindow?.settingValue ?? 120) * 1000
    return [...entries.values()].some(
      (earlier) =>
        earlier.transactionType === request.transactionType &&
        earlier.card === card &&
        earlier.amount === Number(request.amount) &&
        earlier.invoiceNumber === (request.order?.invoiceNumber ?? '') &&
        earlier.customerId === (request.customer?.id ?? '') &&
        earlier.submitted.getTime() >= since &&
        (earlier.responseCode === '1' || earlier.responseCode === '4'),
    )
  }

  const authorize = (request: TransactionRequest) => {
    const { cardNumber: card = '', expirationDate = '' } = request.payment?.creditCard ?? {}
    if (isDuplicate(request, card)) return rejected('11')
    const verdict = { responseCode: '1', reason: '1', ...(verdicts.shift() ?? verdictFor(testCardFor(card))) }
    if (verdict.transId) return verdict
    const entry = add({
      transactionStatus: statusByResponse[verdict.responseCode],
      ...verdict,
      card,
      amount: Number(request.amount),
      invoiceNumber: request.order?.invoiceNumber ?? '',
      customerId: request.customer?.id ?? '',
      lastFour: card.slice(-4),
    })
    const cardOnFile = { cardNumber: card, expirationDate, billTo: JSON.stringify(request.billTo) }
    const profile =
      entry.responseCode === '1' && request.profile?.createProfile
        ? profiles.keepCard(entry.customerId, cardOnFile)
        : undefined
    return { ...entry, profileResult: profile }
  }

  const storedCard = ({ profile }: TransactionRequest) =>
    profiles.findCard(profile?.customerProfileId ?? '', profile?.paymentProfile?.paymentProfileId ?? '')

  /** What happens to the next charge of this stored card. */
  const nextStep = ({ customerPaymentProfileId, ...card }: CardOnFile & { customerPaymentProfileId: string }) => {
    const [year = '', month = ''] = card.expirationDate.split('-')
    if (isExpired(month, year, now())) return { issuer_code: '54' }
    const earlier = [...entries.values()].filter(
      ({ profile }) => profile?.customerPaymentProfileId === customerPaymentProfileId,
    )
    return renewalStep(testCardFor(card.cardNumber), earlier.length)
  }

  /** Authorizes and captures at once. */
  const charge = (request: TransactionRequest) => {
    const stored = storedCard(request)
    if (!stored) return rejected('16')
    const card = stored.cardNumber
    if (isDuplicate(request, card)) return rejected('11')
    const step = nextStep(stored)
    const verdict = { responseCode: '1', reason: '1', ...(verdicts.shift() ?? verdictForStep(step)) }
    if (verdict.transId) return verdict
    const { customerProfileId = '' } = request.profile ?? {}
    return add({
      transactionType: request.transactionType,
      transactionStatus:
        verdict.responseCode === '1' ? 'capturedPendingSettlement' : statusByResponse[verdict.responseCode],
      cvv: '',
      ...verdict,
      card,
      amount: Number(request.amount),
      invoiceNumber: request.order?.invoiceNumber ?? '',
      lastFour: card.slice(-4),
      profile: { customerProfileId, customerPaymentProfileId: stored.customerPaymentProfileId },
      isDisputedOnceSettled: step === 'disputed',
    })
  }

  /** Asks the bank about a card, with an authorization of nothing that is voided at once. */
  const verify = ({ cardNumber }: CardOnFile): Entry => {
    const verdict = { responseCode: '1', reason: '1', ...verdictFor(testCardFor(cardNumber)) }
    const transactionStatus = verdict.responseCode === '1' ? 'voided' : 'declined'
    const { transId: _none, ...outcome } = verdict
    return add({ ...outcome, transactionStatus, amount: 0, invoiceNumber: 'none', lastFour: cardNumber.slice(-4) })
  }

  /** A chargeback, or its reversal, is a transaction of its own, in a batch of its own. */
  const dispute = (transId: string, change: 'open' | 'won') => {
    const charged = entries.get(transId)
    const batchId = newId()
    batches.push({ batchId, settled: now() })
    const transactionStatus = change === 'open' ? 'chargeback' : 'chargebackReversal'
    return add({
      ...charged,
      transId: newId(),
      transactionStatus,
      submitted: now(),
      batchId,
      isDisputedOnceSettled: false,
    })
  }

  const capture = ({ refTransId = '' }: TransactionRequest) => {
    const entry = entries.get(refTransId)
    if (entry?.transactionStatus === 'capturedPendingSettlement') return { ...entry, reason: '311' }
    if (entry?.transactionStatus !== 'authorizedPendingCapture') return rejected('16')
    entry.transactionStatus = 'capturedPendingSettlement'
    return entry
  }

  const voidTransaction = ({ refTransId = '' }: TransactionRequest) => {
    const entry = entries.get(refTransId)
    if (entry?.transactionStatus === 'voided') return { ...entry, reason: '310' }
    if (!entry || entry.batchId || !CAN_BE_VOIDED.includes(entry.transactionStatus)) return rejected('16')
    entry.transactionStatus = 'voided'
    return entry
  }

  const refund = (request: TransactionRequest) => {
    const { refTransId = '', order } = request
    const lastFour = request.payment?.creditCard.cardNumber ?? ''
    if (isDuplicate(request, lastFour)) return rejected('11')
    if (verdicts.length) return verdicts.shift() ?? {}
    const entry = entries.get(refTransId)
    if (!entry) return rejected('16')
    if (entry.transactionStatus !== 'settledSuccessfully' || lastFour.slice(-4) !== entry.lastFour)
      return rejected('54')
    const earlier = [...entries.values()].filter((other) => other.refTransId === refTransId)
    if (earlier.reduce((sum, { amount }) => sum + amount, Number(request.amount)) > entry.amount) return rejected('55')
    return add({
      transactionType: 'refundTransaction',
      transactionStatus: 'refundPendingSettlement',
      amount: Number(request.amount),
      invoiceNumber: order?.invoiceNumber ?? '',
      customerId: request.customer?.id ?? '',
      card: lastFour,
      lastFour,
      refTransId,
    })
  }

  const handlers: Record<string, (request: TransactionRequest) => TransactionResult> = {
    authOnlyTransaction: authorize,
    authCaptureTransaction: charge,
    priorAuthCaptureTransaction: capture,
    voidTransaction: voidTransaction,
    refundTransaction: refund,
  }

  return {
    entries,
    batches,
    ...profiles,
    add,
    verify,
    dispute,
    nextStep,
    /** Whether the request names a stored card that does not exist. */
    isCardMissing: (request: TransactionRequest) => Boolean(request.profile?.paymentProfile) && !storedCard(request),
    transact: (request: TransactionRequest): TransactionResult =>
      handlers[request.transactionType]?.(request) ?? rejected('69'),
    /** Sets the outcome of the next authorization. */
    decideNext: (verdict: Verdict) => verdicts.push(verdict),
    /** Settles the day's transactions in a batch. */
    settle: () => {
      const batchId = newId()
      batches.push({ batchId, settled: now() })
      for (const entry of entries.values()) {
        const settled = onSettlement[entry.transactionStatus]
        if (settled && !entry.batchId) Object.assign(entry, { transactionStatus: settled, batchId })
      }
      for (const { transId, isDisputedOnceSettled } of [...entries.values()])
        if (isDisputedOnceSettled) dispute(transId, 'open')
    },
    /** Decides a transaction under review. */
    review: (transId: string, verdict: 'approve' | 'decline') => {
      const entry = entries.get(transId)
      const approved = entry?.profile ? 'capturedPendingSettlement' : 'authorizedPendingCapture'
      Object.assign(
        entry ?? {},
        verdict === 'approve'
          ? { transactionStatus: approved, responseCode: '1', reason: '1' }
          : { transactionStatus: 'voided', responseCode: '2', reason: '254' },
      )
    },
  }
}
