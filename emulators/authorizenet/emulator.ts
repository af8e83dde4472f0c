import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { testCardFor } from '#server/gateways/payment/cards.ts'
import { type Entry, emulatedLedger, type TransactionResult } from './ledger.ts'
import { type Body, message, notFound, ok } from './messages.ts'
import { profileRequests, profileResponse } from './profile-requests.ts'
import { schemaError } from './schema.ts'

/** How a response can be missing or unusable. */
export const faults = [
  'dropped_before',
  'dropped_after',
  'slow',
  'garbage',
  'half',
  'html',
  'huge',
  'status_500',
  'of_another',
] as const
export type Fault = (typeof faults)[number]
/** An error code of the vendor. */
type ErrorCode = `E${string}`
const isErrorCode = (fault: Fault | ErrorCode | undefined): fault is ErrorCode => fault?.startsWith('E') ?? false

const faultByCard: Record<string, Fault> = { slow: 'slow', lost_after: 'dropped_after', lost_before: 'dropped_before' }

type Options = { login_id: string; transaction_key: string; port: number; now: () => Date }

/**
 * For tests: implements the documented Authorize.Net API and is as strict about order, unknown elements and lengths.
 * Keeps everything in memory, and fails on demand.
 */
export async function authorizeNetEmulator({ login_id, transaction_key, port, now }: Options) {
  const ledger = emulatedLedger(now)
  const received: string[] = []
  const plannedFaults: { request: string; fault: Fault | ErrorCode }[] = []

  const handlers: Record<string, (body: Body) => object> = {
    ...profileRequests(ledger),
    authenticateTestRequest: () => ok,
    createTransactionRequest: ({ transactionRequest }) =>
      ledger.isCardMissing(transactionRequest as never)
        ? notFound
        : transactionResponse(ledger.transact(transactionRequest as never)),
    getTransactionDetailsRequest: ({ transId = '' }) => {
      const entry = ledger.entries.get(transId)
      return entry ? { transaction: detailsOf(entry), ...ok } : notFound
    },
    getUnsettledTransactionListRequest: (body) => listOf(body, (entry) => !entry.batchId),
    getTransactionListRequest: (body) => listOf(body, (entry) => entry.batchId === body.batchId),
    getSettledBatchListRequest: (body) => {
      const [from, to] = [body.firstSettlementDate, body.lastSettlementDate].map((date) => new Date(String(date)))
      if (!from || !to || to < from || to.getTime() - from.getTime() > 31 * 86_400_000 + 1000)
        return message('E00013', 'The date range is invalid.')
      const batchList = ledger.batches
        .filter(({ settled }) => settled >= from && settled <= to)
        .map(({ batchId, settled }) => ({
          batchId,
          settlementTimeUTC: utc(settled),
          settlementTimeUTCSpecified: true,
          settlementState: 'settledSuccessfully',
          paymentMethod: 'creditCard',
        }))
      return batchList.length ? { batchList, ...ok } : message('I00004', 'No records found.')
    },
  }

  const listOf = (body: Body, belongs: (entry: Entry) => boolean) => {
    const { limit = 1000, offset = 1 } = (body.paging ?? {}) as { limit?: string; offset?: string }
    const all = [...ledger.entries.values()].filter(belongs).sort((a, b) => +b.submitted - +a.submitted)
    const start = (Number(offset) - 1) * Number(limit)
    const transactions = all.slice(start, start + Number(limit)).map(listEntry)
    return transactions.length
      ? { transactions, totalNumInResultSet: all.length, ...ok }
      : message('I00004', 'No records found.')
  }

  const replyTo = (text: string): object => {
    const [name = '', body] = (Object.entries(JSON.parse(text))[0] ?? []) as [string, Body]
    const error = schemaError(name, body)
    if (error) return message('E00003', error)
    const { name: login, transactionKey } = body.merchantAuthentication as { name?: string; transactionKey?: string }
    if (login !== login_id || transactionKey !== transaction_key)
      return message('E00007', 'User authentication failed due to invalid authentication values.')
    return { ...(handlers[name]?.(body) ?? {}), ...(body.refId ? { refId: body.refId } : {}) }
  }

  const faultFor = (text: string): Fault | ErrorCode | undefined => {
    const index = plannedFaults.findIndex(({ request }) => text.startsWith(`{"${request}"`))
    if (index >= 0) return plannedFaults.splice(index, 1)[0]?.fault
    const [, cardNumber] = /"cardNumber":"(\d+)"/.exec(text) ?? []
    if (cardNumber) return faultByCard[testCardFor(cardNumber).fault ?? '']
    const [, customer = '', payment = ''] =
      /"customerProfileId":"(\d+)","paymentProfile":{"paymentProfileId":"(\d+)"/.exec(text) ?? []
    const stored = ledger.findCard(customer, payment)
    return stored && faultByCard[String(ledger.nextStep(stored))]
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request).catch(() => '')
    if (!text || request.method !== 'POST' || request.url !== '/xml/v1/request.api') return request.socket.destroy()
    received.push(text)
    const fault = faultFor(text)
    if (fault === 'dropped_before') return request.socket.destroy()
    const body = `\uFEFF${JSON.stringify(isErrorCode(fault) ? message(fault, 'Error.') : replyTo(text))}`
    if (fault === 'dropped_after') return request.socket.destroy()
    if (fault === 'slow') await sleep(1_000)
    const type = fault === 'html' ? 'text/html' : 'application/json; charset=utf-8'
    response.writeHead(fault === 'status_500' ? 500 : 200, { 'content-type': type })
    response.end(fault ? corrupt(fault, body) : body)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    ...ledger,
    url: `http://127.0.0.1:${port}`,
    /** Every raw request. */
    received,
    /** Makes the next request of this kind fail. */
    failNext: (request: string, fault: Fault | ErrorCode) => plannedFaults.push({ request, fault }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const corrupt = (fault: Fault | ErrorCode, body: string) =>
  ({
    of_another: body.replace(/,"refId":".*"}$/, '}').replace(/}$/, ',"refId":"of another"}'),
    garbage: '\u0000\u0007%PDF',
    half: body.slice(0, body.length / 2),
    html: '<!DOCTYPE html><title>Maintenance</title>',
    huge: `"${'x'.repeat(5 * 1024 * 1024)}"`,
  })[fault as string] ?? body

const texts: Record<string, string> = {
  11: 'A duplicate transaction has been submitted.',
  16: 'The transaction cannot be found.',
  54: 'The referenced transaction does not meet the criteria for issuing a credit.',
  310: 'This transaction has already been voided.',
  311: 'This transaction has already been captured.',
}

function transactionResponse({ responseCode, reason = '', profileResult, ...entry }: TransactionResult) {
  const isApproved = responseCode === '1' || responseCode === '4'
  return {
    transactionResponse: {
      responseCode,
      ...(entry.rawResponseCode ? { rawResponseCode: entry.rawResponseCode } : {}),
      authCode: isApproved ? 'A1B2C3' : '',
      avsResultCode: entry.avs ?? 'P',
      cvvResultCode: entry.cvv ?? '',
      cavvResultCode: '',
      transId: entry.transId,
      refTransID: entry.refTransId ?? '',
      transHash: '',
      testRequest: '0',
      accountNumber: `XXXX${entry.lastFour ?? ''}`,
      accountType: 'Visa',
      ...(isApproved
        ? { messages: [{ code: reason, description: texts[reason] ?? 'This transaction has been approved.' }] }
        : { errors: [{ errorCode: reason, errorText: texts[reason] ?? 'This transaction has been declined.' }] }),
      ...(isApproved && entry.networkTransId ? { networkTransId: entry.networkTransId } : {}),
    },
    ...(profileResult ? { profileResponse: profileResponse(profileResult) } : {}),
    ...(isApproved ? ok : message('E00027', 'The transaction was unsuccessful.')),
  }
}

const utc = (time: Date) => `${time.toISOString().slice(0, 19)}Z`

const listEntry = (entry: Entry) => ({
  transId: entry.transId,
  submitTimeUTC: utc(entry.submitted),
  submitTimeLocal: utc(entry.submitted).slice(0, 19),
  transactionStatus: entry.transactionStatus,
  ...(entry.invoiceNumber ? { invoiceNumber: entry.invoiceNumber } : {}),
  accountType: 'Visa',
  accountNumber: `XXXX${entry.lastFour}`,
  settleAmount: entry.amount,
  marketType: 'eCommerce',
  product: 'Card Not Present',
  hasReturnedItemsSpecified: false,
  ...(entry.profile ? { profile: entry.profile } : {}),
})

const detailsOf = (entry: Entry) => ({
  transId: entry.transId,
  ...(entry.refTransId ? { refTransId: entry.refTransId } : {}),
  submitTimeUTC: utc(entry.submitted),
  transactionType: entry.transactionType,
  transactionStatus: entry.transactionStatus,
  responseCode: Number(entry.responseCode),
  responseReasonCode: Number(entry.reason),
  responseReasonDescription: 'Approval',
  authCode: 'A1B2C3',
  AVSResponse: entry.avs,
  cardCodeResponse: entry.cvv,
  order: { invoiceNumber: entry.invoiceNumber },
  requestedAmountSpecified: false,
  authAmount: entry.amount,
  settleAmount: entry.amount,
  payment: { creditCard: { cardNumber: `XXXX${entry.lastFour}`, expirationDate: 'XXXX', cardType: 'Visa' } },
  customer: { typeSpecified: false, id: entry.customerId },
  recurringBilling: Boolean(entry.profile),
  ...(entry.profile ? { profile: entry.profile } : {}),
  networkTransId: entry.networkTransId,
})
