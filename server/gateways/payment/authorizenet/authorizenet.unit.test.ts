import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testPaymentAdapter } from '#emulators/adapter-tests/payment.ts'
import { cardChange, hold, movingClock, noDeadline, otherCard, renewal } from '#emulators/adapter-tests/requests.ts'
import { startEmulatedGateway } from '#emulators/authorizenet/emulated-gateway.ts'
import { faults } from '#emulators/authorizenet/emulator.ts'
import { freePort } from '../../../../scripts/port.mjs'
import { cards } from '../cards.ts'
import { declineClasses } from './codes.ts'

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
    await gateway.authorize(hold(cards.good, 'abcdefghij0123456789'), noDeadline())
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
    expect((await gateway.authorize(request, noDeadline())).outcome).toBe('approved')
    expect(emulator.received[0]).not.toContain('"state"')
  })

  it('has a card number without spaces, and is not sent with a number too long for the schema', async () => {
    expect((await gateway.authorize(hold('4242 4242 4242 4242'), noDeadline())).outcome).toBe('approved')
    expect(await gateway.authorize(hold('4000000000000000006'), noDeadline())).toEqual({
      outcome: 'declined',
      decline_class: 'card',
    })
    expect(emulator.received.join()).not.toContain('4000000000000000006')
  })
})

describe('every request that moves money or changes a card', () => {
  /** Sends each one, and returns its text. */
  const requests: [name: string, send: (vault_reference: string) => Promise<unknown>][] = [
    ['createTransactionRequest', () => gateway.authorize(hold(), noDeadline())],
    ['createTransactionRequest', (vault) => gateway.charge(renewal(vault, { is_retry: true }), noDeadline())],
    ['createCustomerPaymentProfileRequest', (vault) => gateway.replaceCard(cardChange(vault, otherCard), noDeadline())],
    ['updateCustomerPaymentProfileRequest', (vault) => gateway.replaceCard(cardChange(vault), noDeadline())],
    ['createCustomerProfileRequest', () => gateway.replaceCard(cardChange(''), noDeadline())],
  ]
  it.each(requests)('%s would be rejected with two elements swapped or with an unknown one', async (name, send) => {
    const { vault_reference } = await approved()
    emulator.received.length = 0
    await send(vault_reference)
    const body = JSON.parse(emulator.received.find((text) => text.startsWith(`{"${name}"`)) ?? '')[name]
    const isInvalid = async (changed: object) => String(await post({ [name]: changed })).includes('E00003')
    expect(await isInvalid(body)).toBe(false)
    for (const changed of variantsOf(body)) expect(await isInvalid(changed), JSON.stringify(changed)).toBe(true)
  })

  /** The object with two neighbors swapped or an element added, at any depth. Single elements need no order. */
  function* variantsOf(value: object): Generator<object> {
    const elements = Object.entries(value)
    for (let index = 1; index < elements.length; index++)
      yield Object.fromEntries(elements.toSpliced(index - 1, 2, ...elements.slice(index - 1, index + 1).reverse()))
    yield { ...value, nickname: 'Zoë' }
    for (const [name, child] of elements)
      if (typeof child === 'object' && !Array.isArray(child))
        for (const changed of variantsOf(child)) yield { ...value, [name]: changed }
  }
})

describe('the request to charge a stored card', () => {
  const vault = async () => {
    const { vault_reference } = await approved()
    emulator.received.length = 0
    return { vault_reference, ids: vault_reference.split('/') }
  }

  it('has every element in the order of the schema', async () => {
    const { vault_reference, ids } = await vault()
    await gateway.charge(renewal(vault_reference, { reference: 'abcdefghij0123456789' }), noDeadline())
    expect(emulator.received).toEqual([
      '{"createTransactionRequest":{' +
        '"merchantAuthentication":{"name":"merchant-login","transactionKey":"transactionkey16"},' +
        '"refId":"abcdefghij0123456789",' +
        '"transactionRequest":{"transactionType":"authCaptureTransaction","amount":"99.00",' +
        `"profile":{"customerProfileId":"${ids[0]}","paymentProfile":{"paymentProfileId":"${ids[1]}"}},` +
        '"order":{"invoiceNumber":"abcdefghij0123456789"},' +
        '"transactionSettings":{"setting":[{"settingName":"recurringBilling","settingValue":"true"},' +
        '{"settingName":"duplicateWindow","settingValue":"28800"}]},' +
        '"processingOptions":{"isSubsequentAuth":true},' +
        '"subsequentAuthInformation":{"originalNetworkTransId":"NETWORK123456","originalAuthAmount":"99.00"}}}}',
    ])
  })

  it('says that a retry is a resubmission, and leaves out a series that is not known', async () => {
    const { vault_reference } = await vault()
    const { series: _none, ...unknownSeries } = renewal(vault_reference)
    await gateway.charge(renewal(vault_reference, { is_retry: true }), noDeadline())
    await gateway.charge(unknownSeries, noDeadline())
    expect(emulator.received[0]).toContain('"originalAuthAmount":"99.00","reason":"resubmission"}')
    expect(emulator.received[1]).not.toContain('subsequentAuthInformation')
  })

  it('stores no card, neither for the answer nor for a lookup', async () => {
    const { vault_reference } = await vault()
    const request = renewal(vault_reference)
    await gateway.charge(request, noDeadline())
    expect(await gateway.lookup(request, noDeadline())).toMatchObject({ outcome: 'approved', vault_reference })
    expect(emulator.received.join()).not.toContain('CustomerProfileFromTransaction')
  })

  it('is not sent for something that is not a vault reference', async () => {
    for (const vault_reference of ['', '1', '1/', 'a/b', '1/2/3'])
      expect((await gateway.charge(renewal(vault_reference), noDeadline())).outcome).toBe('failed')
    expect(emulator.received).toEqual([])
  })
})

describe('a card change', () => {
  const cardsOf = (vault_reference: string) => emulator.findCustomer(vault_reference.split('/')[0] ?? '')?.cards ?? []

  it('adds the card beside the old one, verified at the bank', async () => {
    const { vault_reference } = await approved()
    const reply = await gateway.replaceCard(cardChange(vault_reference, otherCard), noDeadline())
    expect(reply).toMatchObject({ outcome: 'approved', checks: { address: 'match', cvc: 'match' } })
    expect(emulator.received.some((text) => text.includes('"validationMode":"liveMode"'))).toBe(true)
    expect(cardsOf(vault_reference).map(({ cardNumber }) => cardNumber)).toEqual([cards.good, otherCard])
  })

  it('with the same number updates its expiration date, and verifies it again', async () => {
    const { vault_reference } = await approved()
    const change = cardChange(vault_reference)
    change.card.cc_year = '2033'
    expect(await gateway.replaceCard(change, noDeadline())).toMatchObject({ outcome: 'approved', vault_reference })
    expect(cardsOf(vault_reference)).toMatchObject([{ expirationDate: '2033-07' }])
  })

  it('makes room when the vendor keeps ten cards, but never deletes the one in use', async () => {
    const { vault_reference } = await approved()
    for (let n = 0; n < 11; n++) {
      const change = cardChange(vault_reference)
      change.billing.address = `${n} Main St`
      expect(await gateway.replaceCard(change, noDeadline())).toMatchObject({ outcome: 'approved' })
    }
    expect(cardsOf(vault_reference)).toHaveLength(10)
    expect((await gateway.charge(renewal(vault_reference), noDeadline())).outcome).toBe('approved')
  })

  it('creates a customer profile once, even if the first response is lost', async () => {
    const change = cardChange('')
    emulator.failNext('createCustomerProfileRequest', 'dropped_after')
    expect(await gateway.replaceCard(change, noDeadline())).toEqual({ outcome: 'unknown' })
    const reply = await gateway.replaceCard(change, noDeadline())
    const profile = emulator.profiles.get(change.reference)
    expect(reply).toMatchObject({
      vault_reference: `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    })
  })

  it.each([
    ['declined', cards.declined, 'bank'],
    ['insufficient funds', cards.wrongCvc, 'input'],
    ['fraud', cards.fraud, 'fraud'],
  ])('that is not verified has a decline class: %s', async (_what, cc_number, decline_class) => {
    for (const vault_reference of ['', (await approved()).vault_reference])
      expect(await gateway.replaceCard(cardChange(vault_reference, cc_number), noDeadline())).toEqual({
        outcome: 'declined',
        decline_class,
      })
  })

  it('is not sent with a number too long for the schema', async () => {
    expect(await gateway.replaceCard(cardChange('', '4000000000000000006'), noDeadline())).toEqual({
      outcome: 'declined',
      decline_class: 'card',
    })
    expect(emulator.received).toEqual([])
  })
})

it.each([
  ['4', 'fraud', true],
  ['6', 'input', true],
  ['2', 'bank', undefined],
])(
  'a decline without the issuer’s code (reason %s) is %s, never to be retried: %s',
  async (reason, decline_class, never) => {
    const request = renewal((await approved()).vault_reference)
    emulator.decideNext({ responseCode: '2', reason })
    const expected = { outcome: 'declined', decline_class, ...(never && { never_retry: true }) }
    expect(await gateway.charge(request, noDeadline())).toEqual(expected)
    expect(await gateway.lookup(request, noDeadline())).toEqual(expected)
  },
)

it('strips the byte-order mark of every response', async () => {
  const bytes = await post({ getTransactionDetailsRequest: {} })
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  expect((await gateway.authorize(hold(), noDeadline())).outcome).toBe('approved')
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
    expect(await gateway.authorize(hold(), noDeadline())).toEqual({ outcome: 'unknown' })
  })

  it('is unknown when the first transaction cannot be read', async () => {
    const request = hold()
    await approved(request)
    emulator.failNext('getTransactionDetailsRequest', 'status_500')
    expect(await gateway.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
  })
})

describe('a decline', () => {
  it.each(Object.entries(declineClasses))('with reason %s has the class %s', async (reason, decline_class) => {
    const responseCode = ['6', '7', '8', '17', '28', '33', '37', '78', '128'].includes(reason) ? '3' : '2'
    emulator.decideNext({ responseCode, reason })
    expect(await gateway.authorize(hold(), noDeadline())).toMatchObject({ outcome: 'declined', decline_class })
  })

  it('with an unlisted reason has the class bank', async () => {
    emulator.decideNext({ responseCode: '2', reason: '999' })
    expect(await gateway.authorize(hold(), noDeadline())).toEqual({ outcome: 'declined', decline_class: 'bank' })
  })

  it.each(['13', '19', '23', '26', '57', '63', '120', '122', '180', '261'])(
    'is not reported for error %s, which is not the visitor’s fault: it is thrown, and looked up later',
    async (reason) => {
      const request = hold()
      emulator.decideNext({ responseCode: '3', reason })
      await expect(gateway.authorize(request, noDeadline())).rejects.toThrow(`Authorize.Net refused with ${reason}`)
      expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'declined', decline_class: 'bank' })
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
  expect(await gateway.lookup(request, noDeadline())).toMatchObject({ checks: { address, cvc } })
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
    expect(await gateway.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
    const profile = emulator.profiles.get(request.reference)
    expect(await gateway.lookup(request, noDeadline())).toMatchObject({
      outcome: 'approved',
      vault_reference: `${profile?.customerProfileId}/${profile?.customerPaymentProfileId}`,
    })
  })

  it('is created from the transaction when no response named one', async () => {
    const request = hold()
    const { transId } = emulator.add({ invoiceNumber: request.reference })
    const answer = await gateway.lookup(request, noDeadline())
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
      expect(await gateway.lookup(request, noDeadline())).toMatchObject({ outcome: 'approved', vault_reference: '' })
    },
  )
})

describe('a review', () => {
  it.each([
    ['approve', { outcome: 'approved' }],
    ['decline', { outcome: 'declined', decline_class: 'fraud' }],
  ] as const)('that ends with %s is found by its transaction', async (verdict, outcome) => {
    const request = hold(cards.review)
    const held = await gateway.authorize(request, noDeadline())
    if (held.outcome !== 'review') throw new Error(held.outcome)
    expect(await gateway.lookup({ ...request, ...held }, noDeadline())).toEqual(held)
    emulator.review(held.transaction_id, verdict)
    expect(await gateway.lookup({ ...request, ...held }, noDeadline())).toMatchObject(outcome)
  })
})
