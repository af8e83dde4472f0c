import { randomUUID } from 'node:crypto'
import type { Hold } from '#server/gateways/payment/port.ts'
import { authorizeNet } from './authorizenet.ts'
import { authorizeNetEmulator } from './emulator.ts'

/** For tests: the adapter and the emulator that it speaks to, under one clock. */
export async function emulated(port: number, now: () => Date) {
  const keys = { login_id: 'merchant-login', transaction_key: 'transactionkey16' }
  const emulator = await authorizeNetEmulator({ ...keys, port, now })
  const gatewayAt = (base_url: string, login_id = keys.login_id) => authorizeNet({ ...keys, login_id, base_url, now })
  const gateway = gatewayAt(emulator.url)

  const approved = async (asked = hold()) => {
    const answer = await gateway.authorize(asked, soon())
    if (answer.outcome !== 'approved') throw new Error(`not approved: ${answer.outcome}`)
    return answer
  }

  return {
    emulator,
    gateway,
    gatewayAt,
    approved,
    captured: async (asked = hold()) => {
      const { transaction_id } = await approved(asked)
      const settled = await gateway.capture(transaction_id, soon())
      if (settled !== 'done') throw new Error(`not captured: ${settled}`)
      return transaction_id
    },
    statusOf: (transaction_id: string) => emulator.entries.get(transaction_id)?.transactionStatus,
    /** Sends a request as it is, and gives the bytes of the answer. */
    post: async (body: object) => {
      const reply = await fetch(`${emulator.url}/xml/v1/request.api`, { method: 'POST', body: JSON.stringify(body) })
      return Buffer.from(await reply.arrayBuffer())
    },
    /** An empty ledger. */
    begin: () => {
      emulator.entries.clear()
      emulator.batches.length = 0
      emulator.received.length = 0
    },
  }
}

export const soon = () => AbortSignal.timeout(10_000)

export const newReference = () => randomUUID().replaceAll('-', '').slice(0, 20)

export const hold = (cc_number = '4242424242424242', reference = newReference()): Hold => ({
  reference,
  amount_cents: 9900,
  card: { cc_number, cc_month: '07', cc_year: '2030', cc_cvv: '123' },
  billing: {
    first_name: 'Zoë',
    last_name: 'Example',
    address: '1600 Main St',
    address2: 'Unit 2',
    city: 'Reno',
    state: 'NV',
    country: 'US',
    post_code: '89501',
  },
})
