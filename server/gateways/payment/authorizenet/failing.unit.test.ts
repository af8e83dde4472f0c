import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  cardChange,
  hold,
  newReference,
  noDeadline,
  otherCard,
  refundOf,
  renewal,
} from '#emulators/adapter-tests/requests.ts'
import { startEmulatedGateway } from '#emulators/authorizenet/emulated-gateway.ts'
import { faults } from '#emulators/authorizenet/emulator.ts'
import { freePort } from '../../../../scripts/port.mjs'
import { cards } from '../cards.ts'

const now = () => new Date('2026-03-01T12:00:00.500Z')
const emulation = await startEmulatedGateway(await freePort(), now)
const { emulator, gateway, gatewayAt, approved, captured, post } = emulation
beforeEach(emulation.reset)
afterAll(emulator.close)

describe('a failing vendor', () => {
  const lossFaults = faults.filter((fault) => fault !== 'slow')
  /** The timeout comes while the vendor works on this request. */
  async function cutOff<Answer>(name: string, call: (signal: AbortSignal) => Promise<Answer>) {
    emulator.received.length = 0
    emulator.failNext(name, 'slow')
    const timeout = new AbortController()
    const answer = call(timeout.signal)
    await expect.poll(() => emulator.received.some((text) => text.startsWith(`{"${name}"`))).toBe(true)
    timeout.abort()
    return answer
  }

  it.each(lossFaults)('%s: an authorization is unknown, and a lookup finds its outcome', async (fault) => {
    const request = hold()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
    const answer = await gateway.lookup(request, noDeadline())
    expect(answer.outcome).toBe(fault === 'dropped_before' ? 'not_found' : 'approved')
  })

  it.each(lossFaults)('%s: capture, void and refund are unknown', async (fault) => {
    const { transaction_id } = await approved()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.capture(transaction_id, noDeadline())).toBe('unknown')
    const other = (await approved()).transaction_id
    emulator.failNext('getTransactionDetailsRequest', fault)
    expect(await gateway.void(other, noDeadline())).toBe('unknown')
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.void(other, noDeadline())).toBe('unknown')
    const third = refundOf(await captured())
    emulator.settle()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.refund(third, noDeadline())).toBe('unknown')
    expect(await gateway.capture(transaction_id, noDeadline())).toBe('done')
    expect(await gateway.void(other, noDeadline())).toBe('done')
    expect(await gateway.refund(third, noDeadline())).toBe('done')
    expect([...emulator.entries.values()].filter(({ refTransId }) => refTransId)).toHaveLength(1)
  })

  it.each(lossFaults)('%s: a renewal is unknown, and a lookup finds its outcome', async (fault) => {
    const request = renewal((await approved()).vault_reference)
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.charge(request, noDeadline())).toEqual({ outcome: 'unknown' })
    const answer = await gateway.lookup(request, noDeadline())
    expect(answer.outcome).toBe(fault === 'dropped_before' ? 'not_found' : 'approved')
    expect((await gateway.charge(request, noDeadline())).outcome).toBe('approved')
    expect([...emulator.entries.values()].filter(({ profile }) => profile)).toHaveLength(1)
  })

  it.each(lossFaults)('%s: a card change is unknown, and the old card stays on file', async (fault) => {
    const { vault_reference } = await approved()
    const change = cardChange(vault_reference, cards.renewalNoFunds)
    emulator.failNext('createCustomerPaymentProfileRequest', fault)
    expect(await gateway.replaceCard(change, noDeadline())).toEqual({ outcome: 'unknown' })
    expect((await gateway.charge(renewal(vault_reference), noDeadline())).outcome).toBe('approved')
    expect(await gateway.replaceCard(change, noDeadline())).toMatchObject({ outcome: 'approved' })
    const [customer = ''] = vault_reference.split('/')
    expect(emulator.findCustomer(customer)?.cards).toHaveLength(2)
  })

  it.each(lossFaults)(
    '%s: a verified card is stored without the network’s id when only that is lost',
    async (fault) => {
      const { vault_reference } = await approved()
      emulator.failNext('getTransactionDetailsRequest', fault)
      const reply = await gateway.replaceCard(cardChange(vault_reference, cards.renewalNoFunds), noDeadline())
      expect(reply).toMatchObject({ outcome: 'approved', card: { last_four: '2511' } })
      expect(reply).not.toHaveProperty('network_transaction_id')
    },
  )

  it.each(lossFaults)('%s: a lookup is unknown, never "not found", and listing transactions fails', async (fault) => {
    const request = hold()
    await captured(request)
    emulator.settle()
    const unknownReference = newReference()
    for (const request of ['getUnsettledTransactionList', 'getSettledBatchList', 'getTransactionList']) {
      emulator.failNext(`${request}Request`, fault)
      expect(await gateway.lookup({ reference: unknownReference }, noDeadline())).toEqual({ outcome: 'unknown' })
      emulator.failNext(`${request}Request`, fault)
      await expect(gateway.transactions(new Date(now().getTime() - 1000), noDeadline())).rejects.toThrow(
        'Authorize.Net',
      )
    }
    emulator.failNext('getTransactionDetailsRequest', fault)
    expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'unknown' })
  })

  it('slow: a response after the timeout is unknown', async () => {
    const request = hold()
    const authorized = await cutOff('createTransactionRequest', (signal) => gateway.authorize(request, signal))
    const found = await cutOff('getUnsettledTransactionListRequest', (signal) => gateway.lookup(request, signal))
    expect([authorized, found]).toEqual([{ outcome: 'unknown' }, { outcome: 'unknown' }])
    const answer = await gateway.lookup(request, noDeadline())
    if (answer.outcome !== 'approved') throw new Error(answer.outcome)
    const { transaction_id } = answer
    expect(await cutOff('createTransactionRequest', (signal) => gateway.capture(transaction_id, signal))).toBe(
      'unknown',
    )
    expect(await gateway.authorize(hold(), AbortSignal.abort())).toEqual({ outcome: 'unknown' })
  })

  it('unreachable: everything is unknown', async () => {
    const unreachable = gatewayAt(`http://127.0.0.1:${await freePort()}`)
    expect(await unreachable.authorize(hold(), noDeadline())).toEqual({ outcome: 'unknown' })
    expect(await unreachable.lookup(hold(), noDeadline())).toEqual({ outcome: 'unknown' })
    expect(await unreachable.capture('1', noDeadline())).toBe('unknown')
  })
})

describe('an operator’s mistake', () => {
  it('wrong credentials are named in the error, and are not a decline', async () => {
    const wrong = gatewayAt(emulator.url, 'wrong-login')
    const message = 'E00007: AUTHORIZENET_LOGIN_ID or AUTHORIZENET_TRANSACTION_KEY is wrong'
    expect(await wrong.authorize(hold(), noDeadline())).toEqual({
      outcome: 'failed',
      why: expect.stringContaining(message),
    })
    for (const call of [
      wrong.lookup(hold(), noDeadline()),
      wrong.capture('1', noDeadline()),
      wrong.transactions(now(), noDeadline()),
    ])
      await expect(call).rejects.toThrow(message)
    expect(emulator.entries.size).toBe(0)
  })

  it.each(['E00003', 'E00008', 'E00010', 'E00011'] as const)(
    '%s rejects a payment before any bank is asked: nothing is held',
    async (code) => {
      emulator.failNext('createTransactionRequest', code)
      expect(await gateway.authorize(hold(), noDeadline())).toMatchObject({ outcome: 'failed' })
    },
  )

  it.each(['13', '30', '103'])('so does the error %s without a transaction', async (reason) => {
    emulator.decideNext({ responseCode: '3', reason, transId: '0' })
    expect(await gateway.authorize(hold(), noDeadline())).toMatchObject({ outcome: 'failed' })
  })

  it.each(['E00001', 'E00027', 'E00053'] as const)('%s does not say whether money is held', async (code) => {
    emulator.failNext('createTransactionRequest', code)
    await expect(gateway.authorize(hold(), noDeadline())).rejects.toThrow(code)
  })

  it.each([
    ['3', '36'], // approved, but settlement failed
    ['3', '19'],
    ['3', '121'],
    ['1', '13'],
    ['7', '13'],
  ])('nor does response code %s with reason %s', async (responseCode, reason) => {
    emulator.decideNext({ responseCode, reason, transId: '0' })
    await expect(gateway.authorize(hold(), noDeadline())).rejects.toThrow('Authorize.Net')
  })

  it.each(['E00003', 'E00007', 'E00011', 'E00044'] as const)(
    '%s fails a card change: nothing is ever charged',
    async (code) => {
      const { vault_reference } = await approved()
      emulator.failNext('createCustomerPaymentProfileRequest', code)
      expect(await gateway.replaceCard(cardChange(vault_reference, otherCard), noDeadline())).toMatchObject({
        outcome: 'failed',
        why: expect.stringContaining(code),
      })
    },
  )

  it('an error in the lookup after a duplicate is not the outcome of the first transaction', async () => {
    const request = hold()
    await approved(request)
    emulator.failNext('getUnsettledTransactionListRequest', 'E00011')
    await expect(gateway.authorize(request, noDeadline())).rejects.toThrow('E00011')
  })

  it.each(['1', '4'])(
    'a merchant account in test mode, which responds %s to everything, approves nothing',
    async (responseCode) => {
      const request = hold()
      emulator.decideNext({ responseCode, transId: '0' })
      await expect(gateway.authorize(request, noDeadline())).rejects.toThrow('Authorize.Net is in test mode')
      expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'not_found' })
    },
  )

  it('an unknown response code is neither an approval nor a decline', async () => {
    emulator.decideNext({ responseCode: '7', reason: '2', transId: '0' })
    await expect(gateway.authorize(hold(), noDeadline())).rejects.toThrow('Authorize.Net refused with 2')
  })

  it('the base URL may include the path of the API', async () => {
    const withPath = gatewayAt(`${emulator.url}/xml/v1/request.api`)
    expect((await withPath.authorize(hold(), noDeadline())).outcome).toBe('approved')
  })
})

it('no error contains a card number, a CVC or a credential, whatever the vendor writes', async () => {
  const thrown: unknown[] = []
  const request = hold()
  request.card = { cc_number: '4242424242424242', cc_month: '07', cc_year: '2030', cc_cvv: '98765' } // the CVC is too long
  thrown.push(await gateway.authorize(request, noDeadline()))
  expect(String(await post(JSON.parse(emulator.received[0] ?? '')))).toContain("The value '98765'") // the vendor quotes it
  emulator.decideNext({ responseCode: '3', reason: '19' })
  await gateway.authorize(hold(), noDeadline()).catch((error) => thrown.push(error))
  emulator.failNext('getUnsettledTransactionListRequest', 'garbage')
  await gateway.transactions(now(), noDeadline()).catch((error) => thrown.push(error))
  expect(thrown).toMatchObject([{ outcome: 'failed' }, expect.any(Error), expect.any(Error)])
  const texts = thrown.map((error) => [String(error), (error as Error).stack, JSON.stringify(error)].join()).join()
  expect(texts).not.toMatch(/4242|98765|transactionkey16|merchant-login/)
})
