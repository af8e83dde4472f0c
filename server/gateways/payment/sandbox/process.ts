import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { AccountCheck } from '#server/gateways/account.ts'
import { DeclineRules, declineScript } from './decline-script.ts'
import { type Chance, faultScript, type Operation, type Rule, Script } from './faults.ts'
import { openLedger } from './ledger.ts'
import {
  CardChangeMessage,
  ClockMessage,
  DisputeMessage,
  HoldMessage,
  LookupMessage,
  RefundMessage,
  RenewalMessage,
  SinceMessage,
  TransactionMessage,
  VerdictMessage,
} from './messages.ts'
import { ledgerPage } from './page.ts'
import { type SandboxGateway, sandboxOn } from './sandbox.ts'

const MAX_BYTES = 64 * 1024
const SLOW_MS = 1_000

type Options = { port: number; ledgerFile: string; now?: () => Date; chance?: Chance }

/** The system clock, because this process has no World. */
const systemClock = () => new Date(performance.timeOrigin + performance.now())

/** Serves the sandbox over HTTP, with scripted faults and a page at /. */
export async function startSandbox({ port, ledgerFile, now = systemClock, chance }: Options) {
  const clock = movableClock(now)
  const ledger = openLedger(ledgerFile, clock.now)
  const declines = declineScript()
  const faults = faultScript(chance)
  const handle = routes({ ledger, sandbox: sandboxOn(ledger, declines), faults, declines, clock })
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const { status, message } = error instanceof BadRequest ? error : new BadRequest('The sandbox failed.', 500)
      if (!response.headersSent) send(response, status, 'text/plain; charset=utf-8', `${message}\n`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A clock that drills can move, to let cards expire and charges settle. */
function movableClock(now: () => Date) {
  let aheadMs = 0
  return {
    now: () => new Date(now().getTime() + aheadMs),
    advance: (seconds: number) => {
      aheadMs += seconds * 1000
    },
  }
}

/** An invalid request. The message repeats none of its content, which may be card data. */
class BadRequest extends Error {
  status: number
  constructor(sentence: string, status = 400) {
    super(sentence)
    this.status = status
  }
}

type Parts = {
  ledger: ReturnType<typeof openLedger>
  sandbox: SandboxGateway
  faults: ReturnType<typeof faultScript>
  declines: ReturnType<typeof declineScript>
  clock: ReturnType<typeof movableClock>
}
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

function routes({ ledger, sandbox, faults, declines, clock }: Parts): Handler {
  const call =
    <Input>(operation: Operation, input: z.ZodMiniType<Input>, run: (input: Input) => Promise<object>): Handler =>
    async (request, response) => {
      const parsed = parseInput(input, request.method === 'GET' ? queryOf(request) : await readJson(request))
      await respond(response, faults.next(operation, idOf(parsed)), () => run(parsed))
    }
  const neverAborted = new AbortController().signal
  const table: Record<string, Handler> = {
    'POST /authorize': call('authorize', HoldMessage, (hold) => sandbox.authorize(hold, neverAborted)),
    'POST /charge': call('charge', RenewalMessage, (renewal) => sandbox.charge(renewal, neverAborted)),
    'POST /replace-card': call('replaceCard', CardChangeMessage, (change) => sandbox.replaceCard(change, neverAborted)),
    'POST /lookup': call('lookup', LookupMessage, (query) => sandbox.lookup(query, neverAborted)),
    'POST /capture': call('capture', TransactionMessage, async ({ transaction_id }) => ({
      settlement: await sandbox.capture(transaction_id, neverAborted),
    })),
    'POST /void': call('void', TransactionMessage, async ({ transaction_id }) => ({
      settlement: await sandbox.void(transaction_id, neverAborted),
    })),
    'POST /refund': call('refund', RefundMessage, async (refund) => ({
      settlement: await sandbox.refund(refund, neverAborted),
    })),
    'GET /transactions': call('transactions', SinceMessage, async ({ since }) => ({
      transactions: await sandbox.transactions(new Date(since), neverAborted),
    })),
    'GET /account': call('account', z.object({}), () => sandbox.checkAccount(neverAborted)),
    'POST /review': async (request, response) => {
      const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
      const input = isForm ? Object.fromEntries(new URLSearchParams(await readText(request))) : await readJson(request)
      const { transaction_id, verdict } = parseInput(VerdictMessage, input)
      const done = await sandbox.review(transaction_id, verdict)
      if (isForm) response.writeHead(303, { location: '/' }).end()
      else sendJson(response, { done })
    },
    'POST /dispute': async (request, response) => {
      const { transaction_id, change } = parseInput(DisputeMessage, await readJson(request))
      sendJson(response, { done: await sandbox.dispute(transaction_id, change) })
    },
    'POST /clock': async (request, response) => {
      clock.advance(parseInput(ClockMessage, await readJson(request)).advance_seconds)
      sendJson(response, { now: clock.now().toISOString() })
    },
    'GET /declines': async (_request, response) => sendJson(response, declines.read()),
    'PUT /declines': async (request, response) => {
      declines.write(parseInput(DeclineRules, await readJson(request)))
      sendJson(response, declines.read())
    },
    'GET /faults': async (_request, response) => sendJson(response, faults.read()),
    'PUT /faults': async (request, response) => {
      faults.write(parseInput(Script, await readJson(request)))
      sendJson(response, faults.read())
    },
    'GET /': async (_request, response) => {
      response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
      send(response, 200, 'text/html; charset=utf-8', ledgerPage(ledger.entries()))
    },
  }
  return async (request, response) => {
    const handler = table[`${request.method} ${(request.url ?? '').split('?')[0]}`]
    if (!handler) throw new BadRequest('Not found.', 404)
    if (request.method !== 'GET' && isCrossOrigin(request))
      throw new BadRequest('Cross-origin requests are not allowed.', 403)
    await handler(request, response)
  }
}

const idOf = (input: unknown): string =>
  input && typeof input === 'object' && 'reference' in input ? String(input.reference) : ''

/** Any page in a browser on this machine could send requests here. */
const isCrossOrigin = ({ headers: { origin, host } }: IncomingMessage) =>
  origin !== undefined && origin !== `http://${host}`

const wrongAccount: AccountCheck = { state: 'wrong', why: 'The sandbox was told to refuse our credentials.' }

/** Runs the operation and applies the fault. */
async function respond(response: ServerResponse, rule: Rule | undefined, run: () => Promise<object>): Promise<void> {
  const fault = rule?.fault
  if (fault === 'lost_before') return hangUp(response)
  if (fault === 'reset') return void response.socket?.resetAndDestroy()
  if (fault === 'error') return send(response, 500, 'text/html', '<h1>500 Internal Server Error</h1>')
  if (fault === 'wrong_account') return sendJson(response, wrongAccount)
  const [result] = await Promise.all(fault === 'duplicate' ? [run(), run()] : [run()])
  if (fault === 'slow') await sleep(rule?.ms ?? SLOW_MS)
  if (fault === 'lost_after') return hangUp(response)
  if (fault === 'garbage') return send(response, 200, 'application/json', Buffer.from([0xff, 0x00, 0x7b, 0x22, 0x80]))
  // Cards with a lost response end up here.
  if ('outcome' in result && result.outcome === 'unknown') return hangUp(response)
  sendJson(response, result)
}

const hangUp = (response: ServerResponse): void => void response.socket?.destroy()

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

const sendJson = (response: ServerResponse, value: object): void =>
  send(response, 200, 'application/json', JSON.stringify(value))

const queryOf = ({ url = '' }: IncomingMessage) => Object.fromEntries(new URLSearchParams(url.split('?')[1]))

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    length += part.length
    if (length > MAX_BYTES) throw new BadRequest('The request is longer than 64 kB.', 413)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request)
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('The request is not JSON.')
  }
}

function parseInput<Value>(schema: z.ZodMiniType<Value>, value: unknown): Value {
  const { success, data, error } = z.safeParse(schema, value)
  if (success) return data
  const fields = error.issues.map(({ path }) => path.join('.') || 'body')
  throw new BadRequest(`Invalid: ${[...new Set(fields)].join(', ')}.`)
}
