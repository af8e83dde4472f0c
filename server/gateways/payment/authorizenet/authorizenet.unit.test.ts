import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../scripts/port.mjs'
import { testPaymentAdapter } from '../adapter-tests.ts'
import { cards } from '../cards.ts'
import { cardChange, hold, movingClock, newReference, renewal, tenSeconds } from '../test-requests.ts'
import { declineClasses } from './codes.ts'
import { startEmulatedGateway } from './emulator/emulated-gateway.ts'
import { faults } from './emulator/emulator.ts'

testPaymentAdapter('authorizenet', async () => {
  const { now, advance } = movingClock()
  const { emulator, gateway, gatewayAt } = await startEmulatedGateway(await freePort(), now)
  return {
    gateway,
    advance,
    settle: async () => {
      advance(86_400_000)
      emulator.settle()
    },
    dispute: async (transaction_id, change) => void emulator.dispute(transaction_id, change),
    review: async (transaction_id, verdict) => emulator.review(transaction_id, verdict),
    reopen: async () => gatewayAt(emulator.url),
    unreachable: gatewayAt(`http://127.0.0.1:${await freePort()}`),
    close: emulator.close,
  }
})

const emulation = await startEmulatedGateway(await freePort(), () => new Date('2026-03-01T12:00:00.500Z'))
const { emulator, gateway, approved, post } = emulation
beforeEach(emulation.reset)
afterAll(emulator.close)

describe('the authorization request', () => {
  it('has every element in the order of the schema', async () => {
    await gateway.authorize(hold(cards.good, 'abcdefghij0123456789'), tenSeconds())
    expect(emulator.received[0]).toBe(
      '{"createTransactionRequest":{' +
        '"merchantAuthentication":{"name":"merchant-login","transactionKey":"transactionkey16"},' +
        '"refId":"abcdefghij0123456789",' +
        '"transactionRequest":{"transactionType":"authOnlyTransaction","amount":"99.00",' +
        '"payment":{"creditCard":{"cardNumber":"4242424242424242","expirationDate":"2030-07","cardCode":"123"}},' +
        '"profile":{"createProfile":true},' +
        '"order":{"invoiceNumber":"abcdefghij0123456789"},' +
        '"customer":{"id":"abcdefghij0123456789"},' +
        '"billTo":{"firstName":"Zoë","lastName":"Example","address":"1600 Main St Unit 2","city":"Reno","state":"NV",' +
        '"zip":"89501","country":"US"},' +
        '"transactionSettings":{"setting":[{"settingName":"allowPartialAuth","settingValue":"false"},' +
        '{"settingName":"duplicateWindow","settingValue":"28800"}]},' +
        '"processingOptions":{"isFirstRecurringPayment":true,"isStoredCredentials":true}}}}',
    )
  })

  it('would be rejected with two elements swapped or with an unknown element', async () => {
    await gateway.authorize(hold(), tenSeconds())
    const { createTransactionRequest } = JSON.parse(emulator.received[0] ?? '')
    const { transactionRequest, ...outer } = createTransactionRequest
    const send = async (elements: [string, unknown][]) =>
      String(await post({ createTransactionRequest: { ...outer, transactionRequest: Object.fromEntries(elements) } }))
    const elements = Object.entries<unknown>(transactionRequest)
    expect(await send(elements)).toContain('"errorCode":"11"') // valid as it is: only rejected as a duplicate
    for (let index = 1; index < elements.length; index++) {
      const swapped = elements.toSpliced(index - 1, 2, ...elements.slice(index - 1, index + 1).reverse())
      expect(await send(swapped)).toMatch(/E00003.*The element 'transactionRequest'.* has invalid child element/)
    }
    expect(await send([...elements, ['nickname', 'Zoë']])).toMatch(/E00003.*invalid child element 'nickname'/)
    expect(String(await post({ createTransactionRequest: { transactionRequest, ...outer } }))).toContain('E00003')
  })

  it('has long addresses truncated instead of rejected', async () => {
    const long = 'x'.repeat(49).concat('😀'.repeat(40))
    const request = hold()
    request.billing = {
      first_name: long,
      last_name: long,
      address: `1 Main\u0000St\n${long}`,
      address2: long,
      city: long,
      state: '',
      country: long,
      post_code: long,
    }
    expect((await gateway.authorize(request, tenSeconds())).outcome).toBe('approved')
    expect(emulator.received[0]).not.toContain('"state"')
  })

  it('has a card number without spaces, and is not sent with a number too long for the schema', async () => {
    expect((await gateway.authorize(hold('4242 4242 4242 4242'), tenSeconds())).outcome).toBe('approved')
    expect(await gateway.authorize(hold('4000000000000000006'), tenSeconds())).toEqual({
      outcome: 'declined',
      decline_class: 'card',
    })
    expect(emulator.received.join()).not.toContain('4000000000000000006')
  })
})

it('strips the byte-order mark of every response', async () => {
  const bytes = await post({ getTransactionDetailsRequest: {} })
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  expect((await gateway.authorize(hold(), tenSeconds())).outcome).toBe('approved')
})

describe('a duplicate', () => {
  it('is not a decline: the first transaction is found by its invoice number', async () => {
    const request = hold()
    const first = await approved(request)
    expect(await approved(request)).toEqual(first)
    expect(emulator.entries.size).toBe(1)
  })

  it('is unknown while the first transaction is not listed yet', async () => {
    emulator.decideNext({ responseCode: '3', reason: '11', transId: '0' })
    expect(await gateway.authorize(hold(), tenSeconds())).toEqual({ outcome: 'unknown' })
  })

  it('is unknown when the first transaction cannot be read', async () => {
    const request = hold()
    await approved(request)
    emulator.failNext('getTransactionDetailsRequest', 'status_500')
    expect(await gateway.authorize(request, tenSeconds())).toEqual({ outcome: 'unknown' })
  })
})

describe('a decline', () => {
  it.each(Object.entries(declineClasses))('with reason %s has the class %s', async (reason, decline_class) => {
    const responseCode = ['6', '7', '8', '17', '28', '33', '37', '78', '128'].includes(reason) ? '3' : '2'
    emulator.decideNext({ responseCode, reason })
    expect(await gateway.authorize(hold(), tenSeconds())).toMatchObject({ outcome: 'declined', decline_class })
  })

  it('with an unlisted reason has the class bank', async () => {
    emulator.decideNext({ responseCode: '2', reason: '999' })
    expect(await gateway.authorize(hold(), tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'bank' })
  })

  it.each(['13', '19', '23', '26', '57', '63', '120', '122', '180', '261'])(
    'is not reported for error %s, which is not the visitor’s fault: it is thrown, and looked up later',
    async (reason) => {
      const request = hold()
      emulator.decideNext({ responseCode: '3', reason })
      await expect(gateway.authorize(request, tenSeconds())).rejects.toThrow(`Authorize.Net refused with ${reason}`)
      expect(await gateway.lookup(request, tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'bank' })
    },
  )
})

it.each([
  ['Y', 'M', 'match', 'match'],
  ['X', 'N', 'match', 'mismatch'],
  ['A', 'P', 'mismatch', 'unchecked'],
  ['Z', 'S', 'mismatch', 'unchecked'],
  ['W', 'U', 'mismatch', 'unchecked'],
  ['N', '', 'mismatch', 'unchecked'],
  ['U', 'M', 'unchecked', 'match'],
  ['', 'M', 'unchecked', 'match'],
])('reports the bank’s checks of address (%s) and CVC (%s), also in a lookup', async (avs, cvv, address, cvc) => {
  const request = hold()
  emulator.decideNext({ avs, cvv })
  expect(await approved(request)).toMatchObject({ checks: { address, cvc } })
  expect(await gateway.lookup(request, tenSeconds())).toMatchObject({ checks: { address, cvc } })
})

describe('the card stored for renewals', () => {
  it('is named in the first response', async () => {
    const request = hold()
    const { vault_reference } = await approved(request)
    const profile = emulator.profiles.get(request.reference)
    expect(vault_reference).toBe(`${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`)
    expect(emulator.received).toHaveLength(1)
  })

  it('is found after a lost response', async () => {
    const request = hold(cards.responseLost)
    expect(await gateway.authorize(request, tenSeconds())).toEqual({ outcome: 'unknown' })
    const profile = emulator.profiles.get(request.reference)
    expect(await gateway.lookup(request, tenSeconds())).toMatchObject({
      outcome: 'approved',
      vault_reference: `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    })
  })

  it('is created from the transaction when no response named one', async () => {
    const request = hold()
    const { transId } = emulator.add({ invoiceNumber: request.reference })
    const answer = await gateway.lookup(request, tenSeconds())
    expect(answer).toMatchObject({ outcome: 'approved', transaction_id: transId })
    expect(answer).toMatchObject({ vault_reference: expect.stringMatching(/^\d+\/\d+$/) })
  })

  it('is the existing one when the vendor reports a duplicate', async () => {
    const request = hold()
    emulator.keepCard(request.reference, { cardNumber: '4242424242424242', expirationDate: '2030-07', billTo: '' })
    const profile = emulator.profiles.get(request.reference)
    expect((await approved(request)).vault_reference).toBe(
      `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    )
  })

  it.each(faults.filter((fault) => fault !== 'slow'))(
    'is missing when the vendor’s profiles fail (%s); the hold is still valid',
    async (fault) => {
      const request = hold()
      emulator.add({ invoiceNumber: request.reference })
      emulator.failNext('createCustomerProfileFromTransactionRequest', fault)
      expect(await gateway.lookup(request, tenSeconds())).toMatchObject({ outcome: 'approved', vault_reference: '' })
    },
  )
})

describe('a review', () => {
  it.each([
    ['approve', { outcome: 'approved' }],
    ['decline', { outcome: 'declined', decline_class: 'fraud' }],
  ] as const)('that ends with %s is found by its transaction', async (verdict, outcome) => {
    const request = hold(cards.review)
    const held = await gateway.authorize(request, tenSeconds())
    if (held.outcome !== 'review') throw new Error(held.outcome)
    expect(await gateway.lookup({ ...request, ...held }, tenSeconds())).toEqual(held)
    emulator.review(held.transaction_id, verdict)
    expect(await gateway.lookup({ ...request, ...held }, tenSeconds())).toMatchObject(outcome)
  })
})
