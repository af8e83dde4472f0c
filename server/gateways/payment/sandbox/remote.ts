import http from 'node:http'
import https from 'node:https'
import type * as z from 'zod/mini'
import { parse } from 'zod/mini'
import { isTestCard } from '#server/gateways/payment/cards.ts'
import type { Settlement } from '#server/gateways/payment/port.ts'
import { DeclineRules } from './decline-script.ts'
import {
  AccountReply,
  AuthorizationReply,
  CardReplacementReply,
  DoneReply,
  LookupReply,
  RefundReply,
  SettlementReply,
  TransactionsReply,
} from './messages.ts'
import type { SandboxGateway } from './sandbox.ts'

const COMMAND_MS = 10_000

/** Client of a sandbox that runs as a separate process. A late or unreadable response is 'unknown'. */
export function remoteSandbox(url: string): SandboxGateway {
  const send = httpClient(url.startsWith('https:') ? https : http)
  const post = async <Reply>(
    path: string,
    body: object,
    schema: z.ZodMiniType<Reply>,
    signal = AbortSignal.timeout(COMMAND_MS),
    method = 'POST',
  ) => parse(schema, JSON.parse(await send(`${url}${path}`, signal, { method, body: JSON.stringify(body) })))
  const unknown = () => ({ outcome: 'unknown' as const })
  const settle = (path: string, body: object, signal: AbortSignal): Promise<Settlement> =>
    post(path, body, SettlementReply, signal).then(
      ({ settlement }) => settlement,
      () => 'unknown',
    )

  return {
    name: 'sandbox',
    isTestCard,
    authorize: (hold, signal) => post('/authorize', hold, AuthorizationReply, signal).catch(unknown),
    charge: (renewal, signal) => post('/charge', renewal, AuthorizationReply, signal).catch(unknown),
    replaceCard: (change, signal) => post('/replace-card', change, CardReplacementReply, signal).catch(unknown),
    lookup: ({ reference, is_once }, signal) =>
      post('/lookup', { reference, is_once }, LookupReply, signal).catch(unknown),
    capture: (transaction_id, signal) => settle('/capture', { transaction_id }, signal),
    void: (transaction_id, signal) => settle('/void', { transaction_id }, signal),
    refund: ({ since: _unused, ...refund }, signal) =>
      post('/refund', refund, RefundReply, signal).then(
        ({ settlement }) => settlement,
        () => 'unknown',
      ),
    transactions: async (since, signal) => {
      const address = `${url}/transactions?since=${encodeURIComponent(since.toISOString())}`
      return parse(TransactionsReply, JSON.parse(await send(address, signal))).transactions
    },
    checkAccount: (signal) =>
      send(`${url}/account`, signal)
        .then((text) => parse(AccountReply, JSON.parse(text)))
        .catch(() => ({ state: 'unknown', why: 'The payment sandbox does not answer.' })),
    review: async (transaction_id, verdict) => (await post('/review', { transaction_id, verdict }, DoneReply)).done,
    dispute: async (transaction_id, change) => (await post('/dispute', { transaction_id, change }, DoneReply)).done,
    scriptDeclines: async (rules) => void (await post('/declines', rules, DeclineRules, undefined, 'PUT')),
  }
}

/** Called twice per payment. Uses half the CPU time of `fetch`. */
function httpClient({ Agent, request }: Pick<typeof http, 'Agent' | 'request'>) {
  const agent = new Agent({ keepAlive: true })
  return (url: string, signal: AbortSignal, sent?: { method: string; body: string }): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = sent ? { method: sent.method, headers: { 'content-type': 'application/json' } } : {}
      const call = request(url, { ...options, agent, signal }, (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`The sandbox answered with status ${reply.statusCode}.`))
        let text = ''
        reply.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        reply.on('error', reject).on('end', () => resolve(text))
      })
      call.on('error', reject).end(sent?.body)
    })
}
