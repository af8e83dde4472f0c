import type * as z from 'zod/mini'
import { parse } from 'zod/mini'
import type { Settlement } from '#server/gateways/payment/port.ts'
import { AuthorizationReply, LookupReply, SettlementReply, TransactionsReply, VerdictReply } from './messages.ts'
import type { SandboxGateway } from './sandbox.ts'

const VERDICT_MS = 10_000

/** A sandbox that runs as its own process. What cannot be understood, or does not come in time, is unknown. */
export function remoteSandbox(url: string): SandboxGateway {
  const read = async <Reply>(reply: Response, schema: z.ZodMiniType<Reply>): Promise<Reply> => {
    const text = await reply.text()
    if (reply.status !== 200) throw new Error(`The sandbox answered with status ${reply.status}.`)
    return parse(schema, JSON.parse(text))
  }
  const post = async <Reply>(path: string, body: object, schema: z.ZodMiniType<Reply>, signal: AbortSignal) => {
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'error' as const }
    return read(await fetch(`${url}${path}`, sent), schema)
  }
  const unknown = () => ({ outcome: 'unknown' as const })
  const settle = (path: string, body: object, signal: AbortSignal): Promise<Settlement> =>
    post(path, body, SettlementReply, signal).then(
      ({ settlement }) => settlement,
      () => 'unknown',
    )

  return {
    name: 'sandbox',
    authorize: (hold, signal) => post('/authorize', hold, AuthorizationReply, signal).catch(unknown),
    lookup: ({ reference }, signal) => post('/lookup', { reference }, LookupReply, signal).catch(unknown),
    capture: (transaction_id, signal) => settle('/capture', { transaction_id }, signal),
    void: (transaction_id, signal) => settle('/void', { transaction_id }, signal),
    refund: (transaction_id, amount_cents, signal) => settle('/refund', { transaction_id, amount_cents }, signal),
    transactions: async (since, signal) => {
      const asked = `${url}/transactions?since=${encodeURIComponent(since.toISOString())}`
      return (await read(await fetch(asked, { signal, redirect: 'error' }), TransactionsReply)).transactions
    },
    review: async (transaction_id, verdict) =>
      (await post('/review', { transaction_id, verdict }, VerdictReply, AbortSignal.timeout(VERDICT_MS))).done,
  }
}
