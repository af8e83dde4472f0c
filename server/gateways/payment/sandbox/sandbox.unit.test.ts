import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isCardNumber } from '#contract/card.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { keepsPaymentPromise } from '#server/gateways/payment/promise.ts'
import { sandboxPayments } from './sandbox.ts'

const clock = () => new Date()

keepsPaymentPromise('sandbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-sandbox-'))
  const file = join(folder, 'ledger.jsonl')
  return {
    gateway: sandboxPayments(file, clock),
    reopen: async () => {
      await appendFile(file, '{"cut short') // as a crash leaves it
      return sandboxPayments(file, clock)
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
})

it.each(Object.entries(cards))('the sandbox’s card %s is one that the form accepts', (_name, number) => {
  expect(isCardNumber(number)).toBe(true)
})
