import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Draft, saveShared } from '#web/storage.ts'
import { followOtherTabs } from './otherTabs.ts'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

const shown = { first_name: 'Zoë', business_name: '' }

/** A wizard on a step with two fields. */
function wizardWith(state: Partial<State> = {}, form: Draft = shown) {
  const wizard = {
    receivedDraft: { first_name: 'Zoë' } as Draft,
    savedDraft: { first_name: 'Zoë' } as Draft,
    state: { step: 'ACCOUNT', draft: { first_name: 'Zoë' }, phones: {}, ...state } as State,
    steps: [] as string[],
    getState: () => wizard.state,
    readDraft: () => ({ ...wizard.state.draft, ...form }),
    update: (change: Partial<State>) => {
      wizard.state = { ...wizard.state, ...change }
    },
    enter: (step: string) => wizard.steps.push(step),
  }
  return wizard
}
const follow = (wizard: ReturnType<typeof wizardWith>) => followOtherTabs(wizard as unknown as Wizard)

let isTyping = false
beforeEach(() => {
  isTyping = false
  const values = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, text: string) => values.set(key, text),
  })
  vi.stubGlobal('document', {
    querySelector: (selector: string) => {
      if (selector.startsWith('meta')) return { content: 'e7' }
      if (selector.endsWith(':focus')) return isTyping ? {} : null
      return Object.keys(shown).some((name) => selector.endsWith(`[name=${name}]`)) ? {} : null
    },
    getElementById: () => null,
    hasFocus: () => isTyping,
    activeElement: null,
  })
})
afterEach(() => vi.unstubAllGlobals())

test('12.18 a tab takes over what was entered in another', () => {
  saveShared({ answers: { first_name: 'Zoë', business_name: 'Juniper', email: 'zoe@example.com' } })
  const wizard = wizardWith()
  follow(wizard)
  expect(wizard.state).toMatchObject({ draft: { business_name: 'Juniper', email: 'zoe@example.com' }, takeOvers: 1 })
})

test.each<[string, boolean, Partial<State>, Draft]>([
  ['fields on the screen while somebody is typing', true, {}, shown],
  ['the form of PAYMENT', false, { step: 'PAYMENT' }, shown],
  ['answers that were changed here', false, {}, { ...shown, business_name: 'Fern' }],
])('12.18 but not %s', (_, typing, state, form) => {
  isTyping = typing
  saveShared({ answers: { first_name: 'Zoë', business_name: 'Juniper', email: 'zoe@example.com' } })
  const wizard = wizardWith(state, form)
  follow(wizard)
  expect(wizard.state.draft).toEqual({ ...form, email: 'zoe@example.com' })
  expect(wizard.state.takeOvers).toBeUndefined()
})

test('12.18 nor another order, whose price is not on the screen', () => {
  saveShared({ answers: { product_ids: '35' } })
  const wizard = wizardWith({ draft: { product_ids: '34' } })
  follow(wizard)
  expect(wizard.state.draft).toEqual({ product_ids: '34' })
})

test('10.20 a tab immediately says that a different one has paid, which keeps its welcome', () => {
  saveShared({ joined_as: 'zoe' })
  const other = wizardWith()
  const payer = wizardWith({ receipt: {} as never })
  for (const wizard of [other, other, payer]) follow(wizard)
  expect([other.state.joinedAs, other.steps, payer.steps]).toEqual(['zoe', ['PAYMENT'], []])
})
