import { afterEach, expect, test, vi } from 'vitest'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import type { Outcome } from './outcome.ts'
import { settle } from './settle.ts'

afterEach(() => vi.unstubAllGlobals())

/** What the page does once the server has answered. */
async function screenAfter(outcome: Outcome) {
  vi.stubGlobal('document', { querySelector: () => null, getElementById: () => null })
  const setView = vi.fn()
  const enter = vi.fn()
  const getState = () => ({ draft: { password: 'P' }, receipt: undefined })
  await settle({ wizard: { getState, enter, update: vi.fn() } as unknown as Wizard, setView }, outcome)
  return { entered: enter.mock.calls, views: setView.mock.calls }
}

test('10.1 after the card comes ACCESS, with an empty draft', async () =>
  expect(await screenAfter({ is: 'approved' })).toEqual({ entered: [['ACCESS', {}]], views: [] }))

test('10.16 a payment made in a different tab is shown as paid', async () =>
  expect(await screenAfter({ is: 'paid' })).toEqual({ entered: [], views: [['paid']] }))
