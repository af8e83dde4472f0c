import type { FastifyInstance } from 'fastify'
import { brand } from '#contract/brand.ts'
import { toAmount } from '#contract/money.ts'
import type { TestTransaction } from '#contract/pages.ts'
import { testCards } from '#server/gateways/payment/cards.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { VerdictMessage } from '#server/gateways/payment/sandbox/messages.ts'
import type { SandboxGateway, Verdict } from '#server/gateways/payment/sandbox/sandbox.ts'
import { gatewayDeadline } from '#server/payments/payments.ts'
import type { World } from '#server/world.ts'
import { addForms } from './forms.ts'
import { type Shell, sendPage } from './shell.ts'

const MAX_TRANSACTIONS = 100

const isSandbox = (payment: PaymentGateway): payment is SandboxGateway => 'review' in payment

/** A page with the sandbox's payments, and buttons to approve or decline those in review. Works without JavaScript. */
export function addTestPayments(app: FastifyInstance, world: World, shell: Shell) {
  const sandbox = world.payment
  if (!isSandbox(sandbox)) return
  const cards = Object.values(testCards).map(({ number, description }) => ({ number, description }))
  app.get('/__payments', { schema: { hide: true } }, async (request, reply) => {
    const transactions = await newestTransactions(world, sandbox).catch((error: unknown) => {
      request.log.warn({ err: error }, 'payment sandbox did not answer')
      return undefined
    })
    const body = shell.pages.testPayments({ transactions, cards })
    return sendPage(request, reply, shell, { title: `Test payments · ${brand.name}`, body })
  })

  addForms(app, (forms) =>
    forms.post<{ Body: { transaction_id: string; verdict: Verdict } }>(
      '/__payments/review',
      { schema: { hide: true, body: VerdictMessage } },
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
