import { hold, noDeadline } from '#emulators/adapter-tests/requests.ts'
import { authorizeNet } from '#server/gateways/payment/authorizenet/authorizenet.ts'
import { authorizeNetEmulator } from './emulator.ts'

/** For tests: the adapter connected to the emulator, with the same clock. */
export async function startEmulatedGateway(port: number, now: () => Date) {
  const keys = { login_id: 'merchant-login', transaction_key: 'transactionkey16' }
  const emulator = await authorizeNetEmulator({ ...keys, port, now })
  const gatewayAt = (base_url: string, login_id = keys.login_id) => authorizeNet({ ...keys, login_id, base_url, now })
  const gateway = gatewayAt(emulator.url)

  const approved = async (request = hold()) => {
    const reply = await gateway.authorize(request, noDeadline())
    if (reply.outcome !== 'approved') throw new Error(`not approved: ${reply.outcome}`)
    return reply
  }

  return {
    emulator,
    gateway,
    gatewayAt,
    approved,
    captured: async (request = hold()) => {
      const { transaction_id } = await approved(request)
      const result = await gateway.capture(transaction_id, noDeadline())
      if (result !== 'done') throw new Error(`not captured: ${result}`)
      return transaction_id
    },
    statusOf: (transaction_id: string) => emulator.entries.get(transaction_id)?.transactionStatus,
    /** Sends a raw request and returns the raw response. */
    post: async (body: object) => {
      const reply = await fetch(`${emulator.url}/xml/v1/request.api`, { method: 'POST', body: JSON.stringify(body) })
      return Buffer.from(await reply.arrayBuffer())
    },
    /** Empties the ledger. */
    reset: () => {
      emulator.entries.clear()
      emulator.batches.length = 0
      emulator.received.length = 0
    },
  }
}
