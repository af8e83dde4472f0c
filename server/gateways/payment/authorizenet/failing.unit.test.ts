import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../scripts/port.mjs'
import { hold, newReference, tenSeconds } from '../adapter-tests.ts'
import { startEmulatedGateway } from './emulator/emulated-gateway.ts'
import { faults } from './emulator/emulator.ts'

const now = () => new Date('2026-03-01T12:00:00.500Z')
const emulation = await startEmulatedGateway(await freePort(), now)
const { emulator, gateway, gatewayAt, approved, captured, post } = emulation
beforeEach(emulation.begin)
afterAll(emulator.close)

describe('when the vendor fails', () => {
  const lost = faults.filter((fault) => fault !== 'slow')
  const quickly = () => AbortSignal.timeout(200)

  it.each(lost)('%s: an authorization is unknown and found, or found nowhere', async (fault) => {
    const asked = hold()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.authorize(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
    const found = await gateway.lookup(asked, tenSeconds())
    expect(found.outcome).toBe(fault === 'dropped_before' ? 'not_found' : 'approved')
  })

  it.each(lost)('%s: capture, void and refund are unknown', async (fault) => {
    const { transaction_id } = await approved()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.capture(transaction_id, tenSeconds())).toBe('unknown')
    const other = (await approved()).transaction_id
    emulator.failNext('getTransactionDetailsRequest', fault)
    expect(await gateway.void(other, tenSeconds())).toBe('unknown')
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.void(other, tenSeconds())).toBe('unknown')
    const third = await captured()
    emulator.settle()
    emulator.failNext('createTransactionRequest', fault)
    expect(await gateway.refund(third, 9900, tenSeconds())).toBe('unknown')
    expect(await gateway.capture(transaction_id, tenSeconds())).toBe('done')
    expect(await gateway.void(other, tenSeconds())).toBe('done')
    expect(await gateway.refund(third, 9900, tenSeconds())).toBe('done')
  })

  it.each(lost)('%s: a lookup is unknown, never "not found", and the books are not given', async (fault) => {
    const asked = hold()
    await captured(asked)
    emulator.settle()
    const unfound = newReference()
    for (const request of ['getUnsettledTransactionList', 'getSettledBatchList', 'getTransactionList']) {
      emulator.failNext(`${request}Request`, fault)
      expect(await gateway.lookup({ reference: unfound }, tenSeconds())).toEqual({ outcome: 'unknown' })
      emulator.failNext(`${request}Request`, fault)
      await expect(gateway.transactions(new Date(now().getTime() - 1000), tenSeconds())).rejects.toThrow('Authorize.Net')
    }
    emulator.failNext('getTransactionDetailsRequest', fault)
    expect(await gateway.lookup(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
  })

  it('slowly: whatever takes longer than it may is unknown', async () => {
    const asked = hold()
    const slow = (request: string) => emulator.failNext(request, 'slow')
    slow('createTransactionRequest')
    expect(await gateway.authorize(asked, quickly())).toEqual({ outcome: 'unknown' })
    slow('getUnsettledTransactionListRequest')
    expect(await gateway.lookup(asked, quickly())).toEqual({ outcome: 'unknown' })
    const found = await gateway.lookup(asked, tenSeconds())
    if (found.outcome !== 'approved') throw new Error(found.outcome)
    slow('createTransactionRequest')
    expect(await gateway.capture(found.transaction_id, quickly())).toBe('unknown')
    expect(await gateway.authorize(hold(), AbortSignal.abort())).toEqual({ outcome: 'unknown' })
  })

  it('nobody listens: unknown', async () => {
    const nowhere = gatewayAt(`http://127.0.0.1:${await freePort()}`)
    expect(await nowhere.authorize(hold(), tenSeconds())).toEqual({ outcome: 'unknown' })
    expect(await nowhere.lookup(hold(), tenSeconds())).toEqual({ outcome: 'unknown' })
    expect(await nowhere.capture('1', tenSeconds())).toBe('unknown')
  })
})

describe('an operator’s mistake', () => {
  it('wrong keys are named, and nobody is told "declined"', async () => {
    const wrong = gatewayAt(emulator.url, 'somebody')
    const words = 'E00007: it does not know AUTHORIZENET_LOGIN_ID'
    expect(await wrong.authorize(hold(), tenSeconds())).toEqual({ outcome: 'failed', why: expect.stringContaining(words) })
    for (const asking of [wrong.lookup(hold(), tenSeconds()), wrong.capture('1', tenSeconds()), wrong.transactions(now(), tenSeconds())])
      await expect(asking).rejects.toThrow(words)
    expect(emulator.entries.size).toBe(0)
  })

  it.each(['E00003', 'E00008', 'E00010', 'E00011'] as const)(
    '%s turns a payment away: surely nothing is held',
    async (code) => {
      emulator.failNext('createTransactionRequest', code)
      expect(await gateway.authorize(hold(), tenSeconds())).toMatchObject({ outcome: 'failed' })
    },
  )

  it.each(['13', '30', '103'])('so does the error %s without a transaction', async (reason) => {
    emulator.decideNext({ responseCode: '3', reason, transId: '0' })
    expect(await gateway.authorize(hold(), tenSeconds())).toMatchObject({ outcome: 'failed' })
  })

  it.each(['E00001', 'E00027', 'E00053'] as const)('%s says nothing of the money', async (code) => {
    emulator.failNext('createTransactionRequest', code)
    await expect(gateway.authorize(hold(), tenSeconds())).rejects.toThrow(code)
  })

  it.each([
    ['3', '36'], // approved, but settlement failed
    ['3', '19'],
    ['3', '121'],
    ['1', '13'],
    ['7', '13'],
  ])('nor does the answer %s with the reason %s', async (responseCode, reason) => {
    emulator.decideNext({ responseCode, reason, transId: '0' })
    await expect(gateway.authorize(hold(), tenSeconds())).rejects.toThrow('Authorize.Net')
  })

  it('a no to the question after a duplicate says nothing of the first one, which has the money', async () => {
    const asked = hold()
    await approved(asked)
    emulator.failNext('getUnsettledTransactionListRequest', 'E00011')
    await expect(gateway.authorize(asked, tenSeconds())).rejects.toThrow('E00011')
  })

  it.each(['1', '4'])(
    'a merchant account in test mode, which says %s to all, approves nothing',
    async (responseCode) => {
      const asked = hold()
      emulator.decideNext({ responseCode, transId: '0' })
      await expect(gateway.authorize(asked, tenSeconds())).rejects.toThrow('Authorize.Net is in test mode')
      expect(await gateway.lookup(asked, tenSeconds())).toEqual({ outcome: 'not_found' })
    },
  )

  it('an answer with a code that nobody knows is neither yes nor no', async () => {
    emulator.decideNext({ responseCode: '7', reason: '2', transId: '0' })
    await expect(gateway.authorize(hold(), tenSeconds())).rejects.toThrow('Authorize.Net refused with 2')
  })

  it('the whole address of the interface is taken as well as its host', async () => {
    const whole = gatewayAt(`${emulator.url}/xml/v1/request.api`)
    expect((await whole.authorize(hold(), tenSeconds())).outcome).toBe('approved')
  })
})

it('no error names a card, a CVC or a key, whatever the vendor writes', async () => {
  const thrown: unknown[] = []
  const asked = hold()
  asked.card = { cc_number: '4242424242424242', cc_month: '07', cc_year: '2030', cc_cvv: '98765' } // too long a CVC
  thrown.push(await gateway.authorize(asked, tenSeconds()))
  expect(String(await post(JSON.parse(emulator.received[0] ?? '')))).toContain("The value '98765'") // the vendor quotes it
  emulator.decideNext({ responseCode: '3', reason: '19' })
  await gateway.authorize(hold(), tenSeconds()).catch((error) => thrown.push(error))
  emulator.failNext('getUnsettledTransactionListRequest', 'garbage')
  await gateway.transactions(now(), tenSeconds()).catch((error) => thrown.push(error))
  expect(thrown).toMatchObject([{ outcome: 'failed' }, expect.any(Error), expect.any(Error)])
  const words = thrown.map((error) => [String(error), (error as Error).stack, JSON.stringify(error)].join()).join()
  expect(words).not.toMatch(/4242|98765|transactionkey16|merchant-login/)
})
