import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteExpired, settleAttempts } from '#server/enrollment/janitor.ts'
import { releaseAttempt } from '#server/enrollment/release.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import { addJob } from '#server/jobs/queue.ts'
import { referenceOf } from '#server/payments/attempt-key.ts'
import { testDatabase } from '#server/test/database.ts'
import { runProgram } from '#server/test/process.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { openDifferences } from './differences.ts'
import { reconcileHourly } from './hourly.ts'
import { reconcile } from './reconciliation.ts'

let site: Site
let honest: Site['world']['payment']['transactions']
beforeAll(async () => {
  site = await testSite()
  honest = site.world.payment.transactions
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

/** The gateway's books with one page changed. */
const booksWith = (change: (books: Transaction[]) => Transaction[]) => {
  site.world.payment.transactions = async (...asked) => change(await honest(...asked))
}
const found = async () => {
  const { differences } = await reconcile(site.world, new Date(0))
  return differences.map(({ reference, kind }) => `${reference} ${kind}`)
}
const HOUR = 3600
const soon = () => AbortSignal.timeout(1000)

it('4.19 books that agree have no difference, whatever became of the attempts', async () => {
  await enroll()
  await enroll(cards.declined)
  await enroll(cards.review)
  site.pass(HOUR)
  expect(await reconcile(site.world, new Date(0))).toEqual({ differences: [], attempts: 3, transactions: 3 })
})

it('4.19 every way in which the books can differ is found, written down, and cleared when it is gone', async () => {
  const { reference } = await enroll()
  const theirs = (change: Partial<Transaction>) => (books: Transaction[]) =>
    books.map((line) => (line.reference === reference ? { ...line, ...change } : line))
  const ways: [kind: string, change: (books: Transaction[]) => Transaction[]][] = [
    ['state', (books) => books.filter((line) => line.reference !== reference)],
    ['state', theirs({ state: 'held' })],
    ['state', theirs({ state: 'voided' })],
    ['amount', theirs({ amount_cents: 100 })],
    ['charged twice', (books) => [...books, ...books.filter((line) => line.reference === reference)]],
  ]
  for (const [kind, change] of ways) {
    booksWith(change)
    expect(new Set(await found()), kind).toEqual(new Set([`${reference} ${kind}`]))
    expect(await openDifferences(site.world)).toBe(1)
    booksWith((books) => books)
    expect(await found()).toEqual([])
    expect(await openDifferences(site.world)).toBe(0)
  }
  booksWith((books) => [
    ...books,
    { reference: 'nobodys', transaction_id: 'x', amount_cents: 9900, state: 'captured' as const },
  ])
  expect(await found()).toEqual(['nobodys unknown here'])
  booksWith((books) => books)
  const rows = await site.db.selectFrom('difference').select(['kind', 'cleared_at']).execute()
  expect(rows.map(({ kind }) => kind).sort()).toEqual(['amount', 'charged twice', 'state', 'unknown here'])
})

it('4.19 a payment that stopped on the way is a difference once it has had its time', async () => {
  const { enrollment_id, reference } = await enroll()
  const set = (state: 'enrolled' | 'captured') =>
    site.db.updateTable('payment').set({ state }).where('enrollment_id', '=', enrollment_id).execute()
  await set('enrolled')
  expect(await found()).not.toContain(`${reference} state`)
  site.pass(HOUR)
  expect(await found()).toContain(`${reference} state`)
  await set('captured')
})

it('4.19 a payment that could not be taken is a difference until somebody has taken it by hand', async () => {
  const { capture } = site.world.payment
  site.world.payment.capture = async () => 'refused'
  const { reference } = await enroll()
  site.world.payment.capture = capture
  const isCleared = async () => {
    const row = site.db.selectFrom('difference').select('cleared_at').where('reference', '=', reference)
    return (await row.executeTakeFirst())?.cleared_at !== null
  }
  const says = (state: Transaction['state']) =>
    booksWith((books) => books.map((line) => (line.reference === reference ? { ...line, state } : line)))
  for (const [state, agrees] of [
    ['held', false],
    ['captured', true],
    ['voided', false],
    ['refunded', true],
  ] as const) {
    says(state)
    expect(await found(), state).toEqual(agrees ? [] : [`${reference} state`])
    expect(await isCleared(), state).toBe(agrees)
  }
  booksWith((books) => books)
  const [line] = (await honest(new Date(0), soon())).filter((line) => line.reference === reference)
  await capture(line?.transaction_id ?? '', soon())
  expect(await found()).toEqual([])
})

it.each([
  ['somebody approves it', cards.review, 'review', 'captured', new Date(0)],
  ['it is captured, long after it began', cards.good, 'captured', 'held', new Date('2027-01-01')],
] as const)(
  '4.19 a payment that moves while the gateway is asked is no difference: %s',
  async (_, card, before, then, since) => {
    const { enrollment_id, reference } = await enroll(card)
    site.pass(HOUR)
    site.world.payment.transactions = async (_since, signal) => {
      const books = await honest(new Date(0), signal)
      site.pass(1)
      const moved = { state: 'captured', updated_at: site.world.now() } as const
      await site.db.updateTable('payment').set(moved).where('enrollment_id', '=', enrollment_id).execute()
      return books.filter((line) => line.reference === reference).map((line) => ({ ...line, state: then }))
    }
    const { differences } = await reconcile(site.world, since)
    expect(differences.filter((each) => each.reference === reference && each.kind === 'state')).toEqual([])
    booksWith((books) => books.filter((line) => line.reference !== reference))
    expect(await found(), 'what is still different is told the next time').toContain(`${reference} state`)
    booksWith((books) => books)
    await site.db.updateTable('payment').set({ state: before }).where('enrollment_id', '=', enrollment_id).execute()
    expect(await found()).toEqual([])
  },
)

it('4.19 a payment at the edge of the time is no difference, though the gateway’s clock is behind ours', async () => {
  const before = await enroll()
  site.pass(HOUR / 2)
  const { reference } = await enroll()
  const since = site.world.now()
  const ago = (seconds: number) => since.getTime() - seconds * 1000
  const submitted = new Map([
    [before.reference, ago(HOUR / 2 + 300)],
    [reference, ago(300)],
  ])
  site.world.payment.transactions = async (edge, signal) =>
    (await honest(new Date(0), signal)).filter((line) => (submitted.get(line.reference) ?? 0) >= edge.getTime())
  expect(await reconcile(site.world, since)).toEqual({ differences: [], attempts: 2, transactions: 2 })
  booksWith((books) => books)
})

it('4.19 a payment of which nobody ever learns is a difference, however often it is asked about', async () => {
  const { lookup } = site.world.payment
  site.world.payment.lookup = async () => ({ outcome: 'unknown' })
  const { reference } = await enroll(cards.answerLost)
  expect(await found()).not.toContain(`${reference} state`)
  for (let minutes = 0; minutes < 60; minutes += 5) {
    site.pass(5 * 60)
    while (await settleAttempts(site.world));
  }
  expect(await found()).toContain(`${reference} state`)
  site.world.payment.lookup = lookup
  while (await settleAttempts(site.world)) site.pass(15)
})

it('4.19 money that is still held for an attempt which was given up is let go', async () => {
  const { enrollment_id, reference } = await enroll(cards.answerLost)
  await releaseAttempt(site.world, { enrollment_id, attempt: 1 }, 'abandoned')
  site.pass(HOUR)
  const stuck = { enrollment_id: randomUUID(), attempt: 1, transaction_id: 'of another gateway' }
  await addJob(site.db, 'void', stuck, new Date(site.world.now().getTime() + HOUR * 1000)) // stands in nobody's way
  expect(await found()).toContain(`${reference} state`)
  while (await runJobs(site.world));
  expect(await found()).not.toContain(`${reference} state`)
  const books = await honest(new Date(0), AbortSignal.timeout(1000))
  expect(books.find((line) => line.reference === reference)?.state).toBe('voided')
})

it('4.19 money without a member and a member without money are differences', async () => {
  const { enrollment_id, reference } = await enroll()
  const other = randomUUID()
  await site.db.insertInto('enrollment').values({ id: other, created_at: site.world.now() }).execute()
  await site.db.updateTable('member').set({ enrollment_id: other }).where('enrollment_id', '=', enrollment_id).execute()
  expect(await found()).toEqual(expect.arrayContaining([`${reference} paid without member`, `${other} member unpaid`]))
})

it('4.19 the payments of the last days are found without reading all others', async () => {
  const plan = await site.db.transaction().execute(async (db) => {
    await sql`set local enable_seqscan = off`.execute(db) // a small table is read as a whole
    return sql`explain select reference from payment where created_at >= ${site.world.now()}`.execute(db)
  })
  expect(JSON.stringify(plan.rows)).toContain('payment_created')
})

it('4.19 a server compares once an hour over all processes, again soon when it could not, and says when it last could', async () => {
  const watched = await testSite()
  const { payment } = watched.world
  let asked = 0
  let isDeaf = false
  const { transactions } = payment
  payment.transactions = async (...asking) => {
    asked += 1
    if (isDeaf) throw new Error('nobody is in')
    return transactions(...asking)
  }
  const processes = Array.from({ length: 4 }, () => ({ ...watched.world }))
  const after = async (minutes: number) => {
    watched.pass(minutes * 60)
    asked = 0
    await Promise.all(processes.map(reconcileHourly))
    return asked
  }
  const told = async () =>
    Number(/^foyer_reconciled_timestamp_seconds (\d+)/m.exec((await watched.get('/metrics')).body)?.[1])
  const seconds = () => watched.world.now().getTime() / 1000

  expect(await told()).toBe(0)
  expect([await after(0), await told()]).toEqual([1, seconds()])
  expect(await after(59)).toBe(0)
  expect([await after(1), await told()]).toEqual([1, seconds()])
  const last = seconds()
  isDeaf = true
  expect([await after(60), await told()]).toEqual([1, last])
  expect(watched.log()).toMatch(/did not return its books: nobody is in.*could not be compared/)
  expect([await after(9), await after(1), await told()]).toEqual([0, 1, last])
  isDeaf = false
  expect([await after(10), await told()]).toEqual([1, seconds()])
  expect(await after(59)).toBe(0)
  await deleteExpired(watched.world)
  expect(await told(), 'tidying up forgets it only when it is old').toBe(last + (60 + 10 + 10) * 60)
  const dayAhead = new Date(watched.world.now().getTime() + 86_400_000)
  await reconcileHourly({ ...watched.world, now: () => dayAhead })
  expect([await told(), await after(1), await told()], 'whose clock is ahead stands in nobody’s way').toEqual([
    ...[last + (60 + 10 + 10) * 60, 1, seconds()],
  ])
  await watched.close()
})

it('4.19 npm run reconcile ends with 0, with 1 on a difference, with 2 when it cannot compare', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-books-'))
  const database = await testDatabase()
  const env = { DATA_DIR: folder, ...(database.url ? { DATABASE_URL: database.url } : {}) }
  const run = async (more: Record<string, string> = {}, ...words: string[]) => {
    const program = runProgram('server/payments/books/cli.ts', words, { ...env, ...more })
    return { ...(await program.ended), said: program.said() }
  }
  if (!database.url) await runProgram('server/db/cli.ts', ['seed'], env).ended
  const agrees = await run()
  expect([agrees.code, agrees.said]).toEqual([0, expect.stringMatching(/^No differences\. 0 payments here/)])
  const stray = { transaction_id: 'sb_1', reference: 'stray', amount_cents: 9900, state: 'captured', at: '2999-01-01' }
  await appendFile(join(folder, 'sandbox-payments.jsonl'), `\n${JSON.stringify(stray)}\n`)
  const differs = await run()
  expect([differs.code, differs.said]).toEqual([1, expect.stringContaining('stray      unknown here  nothing')])
  const deaf = await run({ PAYMENT_SANDBOX_URL: 'http://127.0.0.1:9' })
  expect([deaf.code, deaf.said]).toEqual([2, expect.stringContaining('did not return its books')])
  expect((await run({}, '--weeks', '3')).code).toBe(2)
  await database.close()
  await rm(folder, { recursive: true, force: true })
}, 120_000)
