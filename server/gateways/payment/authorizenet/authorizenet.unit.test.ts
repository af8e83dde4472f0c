import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../scripts/port.mjs'
import { cards } from '../cards.ts'
import { hold, testPaymentAdapter, tenSeconds } from '../adapter-tests.ts'
import { declineClasses } from './codes.ts'
import { startEmulatedGateway } from './emulator/emulated-gateway.ts'
import { faults } from './emulator/emulator.ts'

testPaymentAdapter('authorizenet', async () => {
  const { emulator, gateway, gatewayAt } = await startEmulatedGateway(await freePort(), () => new Date())
  return {
    gateway,
    reopen: async () => gatewayAt(emulator.url),
    unreachable: gatewayAt(`http://127.0.0.1:${await freePort()}`),
    close: emulator.close,
  }
})

const emulation = await startEmulatedGateway(await freePort(), () => new Date('2026-03-01T12:00:00.500Z'))
const { emulator, gateway, approved, post } = emulation
beforeEach(emulation.begin)
afterAll(emulator.close)

describe('what is sent', () => {
  it('is an authorization with every element where the schema has it', async () => {
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
        '{"settingName":"duplicateWindow","settingValue":"28800"}]}}}}',
    )
  })

  it('would be refused with any two elements exchanged, and with one that the schema does not know', async () => {
    await gateway.authorize(hold(), tenSeconds())
    const { createTransactionRequest } = JSON.parse(emulator.received[0] ?? '')
    const { transactionRequest, ...outer } = createTransactionRequest
    const send = async (elements: [string, unknown][]) =>
      String(await post({ createTransactionRequest: { ...outer, transactionRequest: Object.fromEntries(elements) } }))
    const elements = Object.entries<unknown>(transactionRequest)
    expect(await send(elements)).toContain('"errorCode":"11"') // as it was sent it is taken: the same once more
    for (let place = 1; place < elements.length; place++) {
      const exchanged = elements.toSpliced(place - 1, 2, ...elements.slice(place - 1, place + 1).reverse())
      expect(await send(exchanged)).toMatch(/E00003.*The element 'transactionRequest'.* has invalid child element/)
    }
    expect(await send([...elements, ['nickname', 'Zoë']])).toMatch(/E00003.*invalid child element 'nickname'/)
    expect(String(await post({ createTransactionRequest: { transactionRequest, ...outer } }))).toContain('E00003')
  })

  it('is cut where an address is too long, never refused', async () => {
    const long = 'x'.repeat(49).concat('😀'.repeat(40))
    const asked = hold()
    asked.billing = {
      first_name: long,
      last_name: long,
      address: `1 Main\u0000St\n${long}`,
      address2: long,
      city: long,
      state: '',
      country: long,
      post_code: long,
    }
    expect((await gateway.authorize(asked, tenSeconds())).outcome).toBe('approved')
    expect(emulator.received[0]).not.toContain('"state"')
  })

  it('carries a number without spaces, and never one that is longer than the schema', async () => {
    expect((await gateway.authorize(hold('4242 4242 4242 4242'), tenSeconds())).outcome).toBe('approved')
    expect(await gateway.authorize(hold('4000000000000000006'), tenSeconds())).toEqual({
      outcome: 'declined',
      decline_class: 'card',
    })
    expect(emulator.received.join()).not.toContain('4000000000000000006')
  })
})

it('strips the byte-order mark, which every answer has', async () => {
  const bytes = await post({ getTransactionDetailsRequest: {} })
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  expect((await gateway.authorize(hold(), tenSeconds())).outcome).toBe('approved')
})

describe('a duplicate', () => {
  it('is not a decline: the first one is found by its invoice number', async () => {
    const asked = hold()
    const first = await approved(asked)
    expect(await approved(asked)).toEqual(first)
    expect(emulator.entries.size).toBe(1)
  })

  it('is unknown while the first one is not in the lists yet', async () => {
    emulator.decideNext({ responseCode: '3', reason: '11', transId: '0' })
    expect(await gateway.authorize(hold(), tenSeconds())).toEqual({ outcome: 'unknown' })
  })

  it('is unknown when the first one cannot be looked at', async () => {
    const asked = hold()
    await approved(asked)
    emulator.failNext('getTransactionDetailsRequest', 'status_500')
    expect(await gateway.authorize(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
  })
})

describe('a no', () => {
  it.each(Object.entries(declineClasses))('with reason %s is of the class %s', async (reason, decline_class) => {
    const responseCode = ['6', '7', '8', '17', '28', '33', '37', '78', '128'].includes(reason) ? '3' : '2'
    emulator.decideNext({ responseCode, reason })
    expect(await gateway.authorize(hold(), tenSeconds())).toEqual({ outcome: 'declined', decline_class })
  })

  it('with a reason that is not in the table is the bank’s', async () => {
    emulator.decideNext({ responseCode: '2', reason: '999' })
    expect(await gateway.authorize(hold(), tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'bank' })
  })

  it.each(['13', '19', '23', '26', '57', '63', '120', '122', '180', '261'])(
    'is not said when error %s is not the visitor’s: it is thrown, and looked up later',
    async (reason) => {
      const asked = hold()
      emulator.decideNext({ responseCode: '3', reason })
      await expect(gateway.authorize(asked, tenSeconds())).rejects.toThrow(`Authorize.Net refused with ${reason}`)
      expect(await gateway.lookup(asked, tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'bank' })
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
])(
  'says what the bank said of address (%s) and CVC (%s), also when it is looked up',
  async (avs, cvv, address, cvc) => {
    const asked = hold()
    emulator.decideNext({ avs, cvv })
    expect(await approved(asked)).toMatchObject({ checks: { address, cvc } })
    expect(await gateway.lookup(asked, tenSeconds())).toMatchObject({ checks: { address, cvc } })
  },
)

describe('the card for the months to come', () => {
  it('is where the first answer says', async () => {
    const asked = hold()
    const { vault_reference } = await approved(asked)
    const profile = emulator.profiles.get(asked.reference)
    expect(vault_reference).toBe(`${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`)
    expect(emulator.received).toHaveLength(1)
  })

  it('is found again after a lost answer', async () => {
    const asked = hold(cards.answerLost)
    expect(await gateway.authorize(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
    const profile = emulator.profiles.get(asked.reference)
    expect(await gateway.lookup(asked, tenSeconds())).toMatchObject({
      outcome: 'approved',
      vault_reference: `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    })
  })

  it('is made from the transaction when no answer named one', async () => {
    const asked = hold()
    const { transId } = emulator.add({ invoiceNumber: asked.reference })
    const found = await gateway.lookup(asked, tenSeconds())
    expect(found).toMatchObject({ outcome: 'approved', transaction_id: transId })
    expect(found).toMatchObject({ vault_reference: expect.stringMatching(/^\d+\/\d+$/) })
  })

  it('is the one that is there already when the vendor calls it a duplicate', async () => {
    const asked = hold()
    emulator.keepCard(asked.reference)
    const profile = emulator.profiles.get(asked.reference)
    expect((await approved(asked)).vault_reference).toBe(
      `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    )
  })

  it.each(faults.filter((fault) => fault !== 'slow'))(
    'is nowhere when the vendor’s profiles fail (%s); the hold stands',
    async (fault) => {
      const asked = hold()
      emulator.add({ invoiceNumber: asked.reference })
      emulator.failNext('createCustomerProfileFromTransactionRequest', fault)
      expect(await gateway.lookup(asked, tenSeconds())).toMatchObject({ outcome: 'approved', vault_reference: '' })
    },
  )
})

describe('a review', () => {
  it.each([
    ['approve', { outcome: 'approved' }],
    ['decline', { outcome: 'declined', decline_class: 'fraud' }],
  ] as const)('that ends with %s is found by its transaction', async (verdict, became) => {
    const asked = hold(cards.review)
    const held = await gateway.authorize(asked, tenSeconds())
    if (held.outcome !== 'review') throw new Error(held.outcome)
    expect(await gateway.lookup({ ...asked, ...held }, tenSeconds())).toEqual(held)
    emulator.review(held.transaction_id, verdict)
    expect(await gateway.lookup({ ...asked, ...held }, tenSeconds())).toMatchObject(became)
  })
})
