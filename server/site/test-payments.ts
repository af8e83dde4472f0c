import type { FastifyInstance } from 'fastify'
import type { PageBrand } from '#contract/brand.ts'
import { toAmount } from '#contract/money.ts'
import type { TestPage, TestTransaction } from '#contract/pages.ts'
import { testCards } from '#server/gateways/payment/cards.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { VerdictMessage } from '#server/gateways/payment/sandbox/messages.ts'
import type { SandboxGateway, Verdict } from '#server/gateways/payment/sandbox/sandbox.ts'
import { addForms } from '#server/http/forms.ts'
import type { World } from '#server/world/world.ts'
import { type Shell, sendPage } from './shell.ts'

const MAX_TRANSACTIONS = 100

export const isSandbox = (payment: PaymentGateway): payment is SandboxGateway => 'review' in payment

/** A page with the sandbox's payments, and buttons to approve or decline those in review. Works without JavaScript. */
export function addTestPayments(
  app: FastifyInstance,
  world: World,
  sandbox: SandboxGateway,
  shell: Shell,
  testPages: TestPage[],
) {
  const cards = Object.values(testCards).map(({ number, description }) => ({ number, description }))
  app.get('/__payments', async (request, reply) => {
    const transactions = await newestTransactions(world, sandbox).catch((error: unknown) => {
      request.log.warn({ err: error }, 'payment sandbox did not answer')
      return undefined
    })
    const body = (brand: PageBrand) => shell.pages.testPayments({ transactions, cards }, testPages, brand)
    return sendPage(request, reply, shell, { title: 'Test payments', body })
  })
  app.get('/__payments.json', async (_request, reply) =>
    reply
      .type('application/json')
      .send(JSON.stringify(await withTimes(world, await newestTransactions(world, sandbox)))),
  )

  addForms(app, (forms) =>
    forms.post<{ Body: { transaction_id: string; verdict: Verdict } }>(
      '/__payments/review',
      { schema: { body: VerdictMessage } },
      async (request, reply) => {
        await sandbox.review(request.body.transaction_id, request.body.verdict)
        return reply.redirect('/__payments', 303)
      },
    ),
  )
}

async function newestTransactions(world: World, sandbox: SandboxGateway): Promise<TestTransaction[]> {
  const all = await sandbox.transactions(new Date(0), gatewayDeadline(world))
  return all
    .slice(-MAX_TRANSACTIONS)
    .reverse()
    .map(({ amount_cents, refunded_cents, ...transaction }) => ({
      ...transaction,
      amount: toAmount(amount_cents),
      ...(refunded_cents && { refunded: toAmount(refunded_cents) }),
    }))
}

/** For scripts: when each payment was sent, and whether it is a member's first one. */
async function withTimes({ db }: World, transactions: TestTransaction[]) {
  if (!transactions.length) return []
  const rows = await db
    .selectFrom('payment')
    .select(['reference', 'created_at'])
    .where(
      'reference',
      'in',
      transactions.map(({ reference }) => reference),
    )
    .execute()
  const times = new Map(rows.map(({ reference, created_at }) => [reference, created_at.toISOString()]))
  return transactions.map(({ is_renewal, ...transaction }) => ({
    ...transaction,
    kind: is_renewal ? 'renewal' : 'first',
    created_at: times.get(transaction.reference),
  }))
}
