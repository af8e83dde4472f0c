import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { main } from '#server/cli/reconcile.ts'
import { releaseAttempt } from '#server/enrollment/release.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { addJob } from '#server/jobs/queue.ts'
import { callCommand } from '#server/test/command.ts'
import { testDatabase } from '#server/test/database.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { deleteExpired, settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { startWorker } from '#server/worker/worker.ts'
import { openDiscrepancies } from './discrepancies.ts'
import { reconcileHourly } from './hourly.ts'
import { reconcile } from './reconciliation.ts'

let site: Site
let transactions: Site['world']['payment']['transactions']
beforeAll(async () => {
  site = await testSite()
  transactions = site.world.payment.transactions
})
afterAll(() => site.close())

const enroll = async (cc_number: string = cards.good) => {
  const enrollment_id = randomUUID()
  await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number }), {
    'idempotency-key': `${enrollment_id}.1`,
  })
  while (await runJobs(site.world));
  return { enrollment_id, reference: referenceOf({ enrollment_id, attempt: 1 }) }
}

/** Changes what the gateway reports as its books. */
const changeBooks = (change: (books: Transaction[]) => Transaction[]) => {
  site.world.payment.transactions = async (...args) => change(await transactions(...args))
}
const findDiscrepancies = async () => {
  const { discrepancies } = await reconcile(site.world, new Date(0))
  return discrepancies.map(({ reference, kind }) => `${reference} ${kind}`)
}
const HOUR = 3600
const soon = () => AbortSignal.timeout(1000)

it('4.19 books that agree have no discrepancies, whatever the outcome of the attempts', async () => {
  await enroll()
  await enroll(cards.declined)
  await enroll(cards.review)
  site.advance(HOUR)
  expect(await reconcile(site.world, new Date(0))).toEqual({ discrepancies: [], attempts: 3, transactions: 3 })
})

it('4.19 every kind of discrepancy is found, recorded, and cleared when it is gone', async () => {
  const { reference } = await enroll()
  const changeTheirs = (change: Partial<Transaction>) => (books: Transaction[]) =>
    books.map((line) => (line.reference === reference ? { ...line, ...change } : line))
  const cases: [kind: string, change: (books: Transaction[]) => Transaction[]][] = [
    ['state', (books) => books.filter((line) => line.reference !== reference)],
    ['state', changeTheirs({ state: 'held' })],
    ['state', changeTheirs({ state: 'voided' })],
    ['amount', changeTheirs({ amount_cents: 100 })],
    ['charged twice', (books) => [...books, ...books.filter((line) => line.reference === reference)]],
  ]
  for (const [kind, change] of cases) {
    changeBooks(change)
    expect(new Set(await findDiscrepancies()), kind).toEqual(new Set([`${reference} ${kind}`]))
    expect(await openDiscrepancies(site.world)).toBe(1)
    changeBooks((books) => books)
    expect(await findDiscrepancies()).toEqual([])
    expect(await openDiscrepancies(site.world)).toBe(0)
  }
  changeBooks((books) => [
    ...books,
    { reference: 'unknown', transaction_id: 'x', amount_cents: 9900, state: 'captured' as const },
  ])
  expect(await findDiscrepancies()).toEqual(['unknown unknown here'])
  changeBooks((books) => books)
  const rows = await site.db.selectFrom('difference').select(['kind', 'cleared_at']).execute()
  expect(rows.map(({ kind }) => kind).sort()).toEqual(['amount', 'charged twice', 'state', 'unknown here'])
})

it('4.19 a payment that is stuck is a discrepancy after its time limit', async () => {
  const { enrollment_id, reference } = await enroll()
  const set = (state: 'enrolled' | 'captured') =>
    site.db.updateTable('payment').set({ state }).where('enrollment_id', '=', enrollment_id).execute()
  await set('enrolled')
  expect(await findDiscrepancies()).not.toContain(`${reference} state`)
  site.advance(HOUR)
  expect(await findDiscrepancies()).toContain(`${reference} state`)
  await set('captured')
})

it('4.19 a payment that could not be captured is a discrepancy until the operator captures it by hand', async () => {
  const { capture } = site.world.payment
  site.world.payment.capture = async () => 'refused'
  const { reference } = await enroll()
  site.world.payment.capture = capture
  const isCleared = async () => {
    const row = site.db.selectFrom('difference').select('cleared_at').where('reference', '=', reference)
    return (await row.executeTakeFirst())?.cleared_at !== null
  }
  const reportState = (state: Transaction['state']) =>
    changeBooks((books) => books.map((line) => (line.reference === reference ? { ...line, state } : line)))
  for (const [state, agrees] of [
    ['held', false],
    ['captured', true],
    ['voided', false],
    ['refunded', true],
  ] as const) {
    reportState(state)
    expect(await findDiscrepancies(), state).toEqual(agrees ? [] : [`${reference} state`])
    expect(await isCleared(), state).toBe(agrees)
  }
  changeBooks((books) => books)
  const [line] = (await transactions(new Date(0), soon())).filter((line) => line.reference === reference)
  await capture(line?.transaction_id ?? '', soon())
  expect(await findDiscrepancies()).toEqual([])
})

it.each([
  ['a review approves it', cards.review, 'review', 'captured', new Date(0)],
  ['it is captured long after it was created', cards.good, 'captured', 'held', new Date('2027-01-01')],
] as const)(
  '4.19 a payment that changes during the comparison is not a discrepancy: %s',
  async (_, card, before, then, since) => {
    const { enrollment_id, reference } = await enroll(card)
    site.advance(HOUR)
    site.world.payment.transactions = async (_since, signal) => {
      const books = await transactions(new Date(0), signal)
      site.advance(1)
      const moved = { state: 'captured', updated_at: site.world.now() } as const
      await site.db.updateTable('payment').set(moved).where('enrollment_id', '=', enrollment_id).execute()
      return books.filter((line) => line.reference === reference).map((line) => ({ ...line, state: then }))
    }
    const { discrepancies } = await reconcile(site.world, since)
    expect(discrepancies.filter((each) => each.reference === reference && each.kind === 'state')).toEqual([])
    changeBooks((books) => books.filter((line) => line.reference !== reference))
    expect(await findDiscrepancies(), 'the next comparison reports it').toContain(`${reference} state`)
    changeBooks((books) => books)
    await site.db.updateTable('payment').set({ state: before }).where('enrollment_id', '=', enrollment_id).execute()
    expect(await findDiscrepancies()).toEqual([])
  },
)

it('4.19 a payment at the start of the period is not a discrepancy when the gateway’s clock is behind ours', async () => {
  const before = await enroll()
  site.advance(HOUR / 2)
  const { reference } = await enroll()
  const since = site.world.now()
  const ago = (seconds: number) => since.getTime() - seconds * 1000
  const submitted = new Map([
    [before.reference, ago(HOUR / 2 + 300)],
    [reference, ago(300)],
  ])
  site.world.payment.transactions = async (edge, signal) =>
    (await transactions(new Date(0), signal)).filter((line) => (submitted.get(line.reference) ?? 0) >= edge.getTime())
  expect(await reconcile(site.world, since)).toEqual({ discrepancies: [], attempts: 2, transactions: 2 })
  changeBooks((books) => books)
})

it('4.19 a payment whose outcome stays unknown is a discrepancy, however often it is looked up', async () => {
  const { lookup } = site.world.payment
  site.world.payment.lookup = async () => ({ outcome: 'unknown' })
  const { reference } = await enroll(cards.responseLost)
  expect(await findDiscrepancies()).not.toContain(`${reference} state`)
  for (let minutes = 0; minutes < 60; minutes += 5) {
    site.advance(5 * 60)
    while (await settleAttempts(site.world));
  }
  expect(await findDiscrepancies()).toContain(`${reference} state`)
  site.world.payment.lookup = lookup
  while (await settleAttempts(site.world)) site.advance(15)
})

it('4.19 a hold for an abandoned attempt is voided', async () => {
  const { enrollment_id, reference } = await enroll(cards.responseLost)
  await releaseAttempt(site.world, { enrollment_id, attempt: 1 }, 'abandoned')
  site.advance(HOUR)
  const otherJob = { enrollment_id: randomUUID(), attempt: 1, transaction_id: 'of another gateway' }
  await addJob(site.db, 'void', otherJob, new Date(site.world.now().getTime() + HOUR * 1000)) // must not prevent it
  expect(await findDiscrepancies()).toContain(`${reference} state`)
  while (await runJobs(site.world));
  expect(await findDiscrepancies()).not.toContain(`${reference} state`)
  const books = await transactions(new Date(0), AbortSignal.timeout(1000))
  expect(books.find((line) => line.reference === reference)?.state).toBe('voided')
})

it('4.19 a payment without a member and a member without a payment are discrepancies', async () => {
  const { enrollment_id, reference } = await enroll()
  const other = randomUUID()
  await site.db.insertInto('enrollment').values({ id: other, created_at: site.world.now() }).execute()
  await site.db.updateTable('member').set({ enrollment_id: other }).where('enrollment_id', '=', enrollment_id).execute()
  expect(await findDiscrepancies()).toEqual(
    expect.arrayContaining([`${reference} paid without member`, `${other} member unpaid`]),
  )
})

it('4.19 recent payments are found by index', async () => {
  const plan = await site.db.transaction().execute(async (db) => {
    await sql`set local enable_seqscan = off`.execute(db) // otherwise a small table is scanned
    return sql`explain select reference from payment where created_at >= ${site.world.now()}`.execute(db)
  })
  expect(JSON.stringify(plan.rows)).toContain('payment_listed')
})

it('4.19 the books are compared once an hour across all processes, sooner after a failure, and /metrics has the time', async () => {
  const watched = await testSite()
  const { payment } = watched.world
  let calls = 0
  let isOffline = false
  const { transactions } = payment
  payment.transactions = async (...args) => {
    calls += 1
    if (isOffline) throw new Error('connection refused')
    return transactions(...args)
  }
  const processes = Array.from({ length: 4 }, () => ({ ...watched.world }))
  const after = async (minutes: number) => {
    watched.advance(minutes * 60)
    calls = 0
    await Promise.all(processes.map(reconcileHourly))
    return calls
  }
  const lastReconciled = async () =>
    Number(/^foyer_reconciled_timestamp_seconds (\d+)/m.exec((await watched.get('/metrics')).body)?.[1])
  const seconds = () => watched.world.now().getTime() / 1000

  expect(await lastReconciled()).toBe(0)
  expect([await after(0), await lastReconciled()]).toEqual([1, seconds()])
  expect(await after(59)).toBe(0)
  expect([await after(1), await lastReconciled()]).toEqual([1, seconds()])
  const last = seconds()
  isOffline = true
  expect([await after(60), await lastReconciled()]).toEqual([1, last])
  expect(watched.log()).toMatch(/did not return its books: connection refused.*could not be compared/)
  expect([await after(9), await after(1), await lastReconciled()]).toEqual([0, 1, last])
  isOffline = false
  expect([await after(10), await lastReconciled()]).toEqual([1, seconds()])
  expect(await after(59)).toBe(0)
  await deleteExpired(watched.world)
  expect(await lastReconciled(), 'cleaning up does not delete a recent run').toBe(last + (60 + 10 + 10) * 60)
  const dayAhead = new Date(watched.world.now().getTime() + 86_400_000)
  await reconcileHourly({ ...watched.world, now: () => dayAhead })
  expect(
    [await lastReconciled(), await after(1), await lastReconciled()],
    'a process whose clock is ahead does not block the others',
  ).toEqual([...[last + (60 + 10 + 10) * 60, 1, seconds()]])
  await watched.close()
})

it('4.25 after weeks without a comparison, the books are compared back to the last one, and a dispute is seen', async () => {
  const watched = await testSite()
  const payment = watched.world.payment as SandboxGateway
  await watched.post('enrollment/add-enrollment', await filledForm(watched))
  while (await runJobs(watched.world));
  await reconcileHourly(watched.world)
  watched.advance(86_400)
  const [charge] = await payment.transactions(new Date(0), soon())
  expect(await payment.dispute(charge?.transaction_id ?? '', 'open')).toBe(true)
  watched.advance(40 * 86_400)
  await deleteExpired(watched.world)
  const books = vi.spyOn(watched.world.payment, 'transactions')
  await reconcileHourly(watched.world)
  const days = (watched.world.now().getTime() - (books.mock.calls[0]?.[0].getTime() ?? 0)) / 86_400_000
  expect(days, 'three days before the last one').toBeGreaterThanOrEqual(41 + 3)
  expect(await watched.db.selectFrom('membership').select('hold_reason').execute()).toEqual([
    { hold_reason: 'dispute' },
  ])
  await watched.close()
})

it('4.25 after downtime, renewals wait until the books are compared', async () => {
  const watched = await testSite()
  await watched.post('enrollment/add-enrollment', await filledForm(watched))
  watched.advance(40 * 86_400)
  const steps: string[] = []
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { transactions, charge } = watched.world.payment
  watched.world.payment.transactions = async (...args) => {
    asked.resolve()
    await answer.promise
    steps.push('compared')
    return transactions(...args)
  }
  watched.world.payment.charge = (...args) => {
    steps.push('charged')
    return charge(...args)
  }
  const worker = startWorker(watched.world)
  await asked.promise
  await expect
    .poll(async () => (await watched.db.selectFrom('payment').select('state').execute())[0]?.state)
    .toBe('captured')
  answer.resolve()
  await expect.poll(() => steps.includes('charged')).toBe(true)
  expect(steps[0]).toBe('compared')
  await worker.stop()
  await watched.close()
})

it('4.25 if the books can’t be compared, renewals start after half an hour', async () => {
  const watched = await testSite()
  await watched.post('enrollment/add-enrollment', await filledForm(watched))
  watched.advance(40 * 86_400)
  const { charge } = watched.world.payment
  let charges = 0
  watched.world.payment.charge = (...args) => {
    charges += 1
    return charge(...args)
  }
  watched.world.payment.transactions = () => Promise.reject(new Error('connection refused'))
  const now = performance.now.bind(performance)
  let minutes = 0
  const stopwatch = vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000)
  const worker = startWorker(watched.world)
  await expect.poll(watched.log).toContain('could not be compared')
  minutes = 29
  const states = async () =>
    (await watched.db.selectFrom('payment').select('state').orderBy('attempt').execute()).map(({ state }) => state)
  await expect.poll(states).toEqual(['captured'])
  expect(charges).toBe(0)
  minutes = 31
  await expect.poll(() => charges).toBe(1)
  await worker.stop()
  stopwatch.mockRestore()
  await watched.close()
})

it('4.19 npm run reconcile exits with 0, with 1 if there is a discrepancy, with 2 if it cannot compare', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-books-'))
  const database = await testDatabase()
  const env = { DATA_DIR: folder, ...(database.url ? { DATABASE_URL: database.url } : {}) }
  const run = (settings: Record<string, string> = {}, ...args: string[]) =>
    callCommand(main, args, { ...env, ...settings }, database.url ? undefined : database)
  const agrees = await run()
  expect([agrees.code, agrees.output]).toEqual([0, expect.stringMatching(/^No discrepancies\. 0 payments here/)])
  const stray = { transaction_id: 'sb_1', reference: 'stray', amount_cents: 9900, state: 'captured', at: '2999-01-01' }
  await appendFile(join(folder, 'sandbox-payments.jsonl'), `\n${JSON.stringify(stray)}\n`)
  const differs = await run()
  expect([differs.code, differs.output]).toEqual([
    1,
    expect.stringMatching(/^1 discrepancy\. .*stray {6}unknown here {2}nothing/s),
  ])
  const failed = await run({ PAYMENT_SANDBOX_URL: 'http://127.0.0.1:9' })
  expect([failed.code, failed.output]).toEqual([2, expect.stringContaining('did not return its books')])
  expect((await run({}, '--weeks', '3')).code).toBe(2)
  await database.close()
  await rm(folder, { recursive: true, force: true })
})
