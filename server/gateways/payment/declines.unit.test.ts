import { expect, it } from 'vitest'
import { declineOf, isNeverRetry } from './declines.ts'

it.each(['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3', '4', 'r0'])(
  'an issuer that says %s must never be asked again',
  (issuer_code) => {
    expect(declineOf({ issuer_code })).toMatchObject({ outcome: 'declined', issuer_code, never_retry: true })
  },
)

it.each(['05', '51', '54', '59', '61', '65', '91', 'N7', '302', ''])(
  'an issuer that says %s may be asked again',
  (issuer_code) => {
    expect(isNeverRetry({ issuer_code })).toBe(false)
  },
)

it.each(['03', '21'])('Mastercard’s advice %s forbids another attempt, whatever the issuer says', (advice_code) => {
  expect(declineOf({ issuer_code: '51', advice_code })).toEqual({
    outcome: 'declined',
    decline_class: 'card',
    issuer_code: '51',
    advice_code,
    never_retry: true,
  })
})

it.each(['01', '02', '24'])('Mastercard’s advice %s allows another attempt', (advice_code) => {
  expect(isNeverRetry({ issuer_code: '51', advice_code })).toBe(false)
})

it('a code that is not listed has the class bank, and a class of the vendor’s own wins', () => {
  expect(declineOf({ issuer_code: '99' })).toEqual({ outcome: 'declined', decline_class: 'bank', issuer_code: '99' })
  expect(declineOf({ issuer_code: '51' }, 'input').decline_class).toBe('input')
})
