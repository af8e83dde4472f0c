import { testCardFor } from '#server/gateways/payment/cards.ts'

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
  card?: string
  refTransId?: string
  batchId?: string
}

/** Replaces the outcome of the next authorization. With transId '0' no transaction is recorded. */
type Verdict = Partial<Pick<Entry, 'responseCode' | 'reason' | 'avs' | 'cvv' | 'transactionStatus'>> & {
  transId?: '0'
}

type TransactionRequest = {
  transactionType: string
  amount?: string
  payment?: { creditCard: { cardNumber: string } }
  profile?: { createProfile?: unknown }
  refTransId?: string
  order?: { invoiceNumber?: string }
  customer?: { id?: string }
  transactionSettings?: { setting: { settingName: string; settingValue: string }[] }
}

/** The vendor's codes for the decision of each test card. */
const verdictByCard: Record<ReturnType<typeof testCardFor>['decision'], Verdict> = {
  held: { responseCode: '1', reason: '1' },
  review: { responseCode: '4', reason: '253' },
  bank: { responseCode: '2', reason: '2' },
  card: { responseCode: '3', reason: '128' },
  input: { responseCode: '2', reason: '65' },
  fraud: { responseCode: '2', reason: '251' },
  failed: { responseCode: '3', reason: '13', transId: '0' },
}
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
  const profiles = new Map<string, { customerProfileId: string; customerPaymentProfileId: string }>()
  const verdicts: Verdict[] = []
  let ids = 60_000_000_000
  const newId = () => String(++ids)

  const add = (entry: Partial<Entry>): Entry => {
    const completeEntry: Entry = {
      transId: newId(),
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
        earlier.submitted.getTime() >= since &&
        (earlier.responseCode === '1' || earlier.responseCode === '4'),
    )
  }

  const keepCard = (merchantCustomerId: string) => {
    const existing = profiles.get(merchantCustomerId)
    if (existing) return { duplicate: existing.customerProfileId }
    const created = { customerProfileId: newId(), customerPaymentProfileId: newId() }
    profiles.set(merchantCustomerId, created)
    return { created }
  }

  const authorize = (request: TransactionRequest) => {
    const card = request.payment?.creditCard.cardNumber ?? ''
    if (isDuplicate(request, card)) return rejected('11')
    const verdict = {
      responseCode: '1',
      reason: '1',
      ...(verdicts.shift() ?? verdictByCard[testCardFor(card).decision]),
    }
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
    const profile =
      entry.responseCode === '1' && request.profile?.createProfile ? keepCard(entry.customerId) : undefined
    return { ...entry, profile }
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
      card: lastFour,
      lastFour,
      refTransId,
    })
  }

  const handlers: Record<
    string,
    (request: TransactionRequest) => Partial<Entry> & { profile?: ReturnType<typeof keepCard> }
  > = {
    authOnlyTransaction: authorize,
    priorAuthCaptureTransaction: capture,
    voidTransaction: voidTransaction,
    refundTransaction: refund,
  }

  return {
    entries,
    batches,
    profiles,
    add,
    keepCard,
    transact: (request: TransactionRequest) => handlers[request.transactionType]?.(request) ?? rejected('69'),
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
    },
    /** Decides a transaction under review. */
    review: (transId: string, verdict: 'approve' | 'decline') =>
      Object.assign(
        entries.get(transId) ?? {},
        verdict === 'approve'
          ? { transactionStatus: 'authorizedPendingCapture', responseCode: '1', reason: '1' }
          : { transactionStatus: 'voided', responseCode: '2', reason: '254' },
      ),
  }
}
