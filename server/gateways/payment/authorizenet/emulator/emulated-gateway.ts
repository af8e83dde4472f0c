import { authorizeNet } from '#server/gateways/payment/authorizenet/authorizenet.ts'
import { hold, tenSeconds } from '#server/gateways/payment/adapter-tests.ts'
import { authorizeNetEmulator } from './emulator.ts'

/** For tests: the adapter and the emulator that it speaks to, under one clock. */
export async function startEmulatedGateway(port: number, now: () => Date) {
  const keys = { login_id: 'merchant-login', transaction_key: 'transactionkey16' }
  const emulator = await authorizeNetEmulator({ ...keys, port, now })
  const gatewayAt = (base_url: string, login_id = keys.login_id) => authorizeNet({ ...keys, login_id, base_url, now })
  const gateway = gatewayAt(emulator.url)

  const approved = async (asked = hold()) => {
    const answer = await gateway.authorize(asked, tenSeconds())
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
      const settled = await gateway.capture(transaction_id, tenSeconds())
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
