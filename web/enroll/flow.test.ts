import { describe, expect, test } from 'vitest'
import type { Policy, Step } from '#contract/start.ts'
import { firstStep, forwardButton, hasChange, hasPrevious, nextStep, previousStep } from './flow.ts'

const switches = [false, true]
const policies: Policy[] = switches.flatMap((autoship) =>
  switches.flatMap((special) =>
    switches.flatMap((phone_verification) =>
      (['ACCOUNT', 'PRODUCT_SELECTION'] as const).map((start_step) => ({
        start_step,
        autoship,
        special,
        phone_verification,
      })),
    ),
  ),
)

/** The spec's transitions, written independently of flow.ts. */
function edges({ autoship, special, phone_verification }: Policy): [Step, Step, Step][] {
  const afterPackage = special ? 'SPECIAL' : 'ACCOUNT'
  const beforeSpecial = autoship ? 'AUTOSHIP' : 'PRODUCT_SELECTION'
  return [
    ['PRODUCT_SELECTION', 'PRODUCT_SELECTION', autoship ? 'AUTOSHIP' : afterPackage],
    ['AUTOSHIP', 'PRODUCT_SELECTION', afterPackage],
    ['SPECIAL', beforeSpecial, 'ACCOUNT'],
    ['ACCOUNT', special ? 'SPECIAL' : beforeSpecial, phone_verification ? 'CODE_VERIFICATION' : 'ACCOUNT_CREATION'],
    ['CODE_VERIFICATION', 'ACCOUNT', 'ACCOUNT_CREATION'],
    ['ACCOUNT_CREATION', 'ACCOUNT', 'PAYMENT'],
    ['PAYMENT', 'ACCOUNT_CREATION', 'ACCESS'],
    ['ACCESS', 'PAYMENT', 'ACCESS'],
  ]
}

describe.each(policies)(
  'autoship $autoship, special $special, phone $phone_verification, from $start_step',
  (policy) => {
    test.each(edges(policy))('25.3 %s comes after %s and before %s', (step, before, after) => {
      expect(previousStep(step, policy)).toBe(before)
      expect(nextStep(step, policy)).toBe(after)
    })

    test('25.3 going forward passes exactly the steps that are on', () => {
      const passed: Step[] = ['PRODUCT_SELECTION']
      for (let step = passed[0]; step && step !== 'ACCESS' && passed.length < 9; passed.push(step))
        step = nextStep(step, policy)
      expect(passed).toEqual([
        'PRODUCT_SELECTION',
        ...(policy.autoship ? ['AUTOSHIP'] : []),
        ...(policy.special ? ['SPECIAL'] : []),
        'ACCOUNT',
        ...(policy.phone_verification ? ['CODE_VERIFICATION'] : []),
        'ACCOUNT_CREATION',
        'PAYMENT',
        'ACCESS',
      ])
    })

    test('going back always ends at the packages', () => {
      let step: Step = 'ACCESS'
      for (let moves = 0; moves < 8; moves++) step = previousStep(step, policy)
      expect(step).toBe('PRODUCT_SELECTION')
    })

    test('25.3 the wizard starts where the operator says, or at the packages if none is preselected', () => {
      expect(firstStep(policy, true)).toBe(policy.start_step)
      expect(firstStep(policy, false)).toBe('PRODUCT_SELECTION')
    })
  },
)

test.each<[Step, boolean, string | undefined, boolean]>([
  ['PRODUCT_SELECTION', false, undefined, false],
  ['AUTOSHIP', true, 'Continue without', false],
  ['SPECIAL', true, 'Continue without', false],
  ['ACCOUNT', false, 'Next', true],
  ['CODE_VERIFICATION', true, 'Next', true],
  ['ACCOUNT_CREATION', true, 'Next', true],
  ['PAYMENT', true, 'Confirm and Pay', true],
  ['ACCESS', false, undefined, false],
])('25.4 %s shows Previous: %s, forward: %s, Change: %s', (step, previous, forward, change) => {
  expect(hasPrevious(step)).toBe(previous)
  expect(forwardButton[step]).toBe(forward)
  expect(hasChange(step)).toBe(change)
})
