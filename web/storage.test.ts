import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type Draft,
  forgetDraft,
  forgetMember,
  loadDialCountry,
  loadDraft,
  loadReceipt,
  loadShared,
  type Receipt,
  saveDialCountry,
  saveDraft,
  savePhones,
  saveReceipt,
  saveShared,
  saveToken,
} from './storage.ts'

const secret: Draft = {
  password: 'Abcdef1!',
  cc_number: '4242424242424242',
  cc_month: '12',
  cc_year: '2030',
  cc_cvv: '123',
  code: '428113',
  captcha: 'solved',
  agreement_1: '1',
  hall_lantern: 'x',
}

const memoryStorage = () => {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, text: string) => values.set(key, text),
    removeItem: (key: string) => values.delete(key),
  }
}

let tab = memoryStorage()
let browser = memoryStorage()
let enrollment = 'e7'
beforeEach(() => {
  tab = memoryStorage()
  browser = memoryStorage()
  enrollment = 'e7'
  vi.stubGlobal('sessionStorage', tab)
  vi.stubGlobal('localStorage', browser)
  vi.stubGlobal('document', { querySelector: () => ({ content: enrollment }) })
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 17) })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('10.8 a draft can be loaded again, and no secret is ever stored', () => {
  saveDraft({ first_name: 'Zoë', special_product_ids: '51', ...secret }, {})
  expect(loadDraft()).toEqual({ first_name: 'Zoë', special_product_ids: '51' })
  const written = [...tab.values.values(), ...browser.values.values()].join()
  for (const value of Object.values(secret)) if (value.length > 2) expect(written).not.toContain(value)
})

test('a forgotten draft is deleted', () => {
  saveDraft({ first_name: 'Zoë' }, {})
  forgetDraft()
  expect(loadDraft()).toEqual({})
})

const HOUR_MS = 3_600_000

test.each<[string, number, Draft]>([
  ['lasts almost a day', 23 * HOUR_MS, { first_name: 'Zoë' }],
  ['is gone a day after the last change', 24 * HOUR_MS, {}],
])('12.17 a draft %s', (_, age, draft) => {
  const last = saveDraft({ first_name: 'Zoë' }, {})
  vi.advanceTimersByTime(HOUR_MS)
  saveDraft({ first_name: 'Zoë' }, last) // unchanged, such as when the page is left
  vi.advanceTimersByTime(age - HOUR_MS)
  expect(loadDraft()).toEqual(draft)
})

test('12.17 another person’s enrollment does not start with this draft', () => {
  saveDraft({ first_name: 'Zoë' }, {})
  enrollment = 'e8'
  expect(loadDraft()).toEqual({})
})

test('12.18 two tabs that change different answers keep both, and the last write of one answer wins', () => {
  const first = saveDraft({ first_name: 'Zoë', city: 'Reno' }, {})
  const second = loadDraft()
  saveDraft({ ...second, city: 'Boise' }, second)
  saveDraft({ ...first, last_name: 'Kim' }, first)
  expect(loadDraft()).toEqual({ first_name: 'Zoë', last_name: 'Kim', city: 'Boise' })
  saveDraft({ ...first, city: 'Elko' }, first)
  expect(loadDraft().city).toBe('Elko')
})

test('12.17 a draft that was forgotten is not stored again when an idle tab is left', () => {
  const last = saveDraft({ first_name: 'Zoë' }, {})
  forgetDraft()
  saveDraft({ first_name: 'Zoë', last_name: '' }, last)
  expect(browser.values.size).toBe(0)
})

test('12.17 nothing is stored again once another tab has paid', () => {
  const last = saveDraft({ first_name: 'Zoë' }, {})
  saveShared({ joined_as: 'zoe' })
  saveDraft({ first_name: 'Zoë', last_name: 'Kim' }, last)
  expect([loadDraft(), loadShared().joined_as]).toEqual([{}, 'zoe'])
})

test('10.6 another enrollment’s receipt is not shown', () => {
  saveReceipt({ enrollment_id: 'e7', lines: [], total: '99.00' } as unknown as Receipt)
  expect(loadReceipt()).toMatchObject({ total: '99.00' })
  enrollment = 'e8'
  expect(loadReceipt()).toBeUndefined()
})

test('15.2 a sign-out deletes the receipt, the token and the draft', () => {
  saveDraft({ first_name: 'Zoë' }, {})
  savePhones({ '+12025550123': { verified: true } })
  saveReceipt({ enrollment_id: 'e7', lines: [], total: '99.00' } as unknown as Receipt)
  saveToken('a.b.c')
  forgetMember()
  expect([tab.values.size, browser.values.size]).toEqual([0, 0])
})

test.each(['', 'null', '[1]', '{"first_name":7}', '{"password":"x"}', '{'])(
  'stored answers of %j are loaded as an empty draft',
  (answers) => {
    browser.values.set('foyer.draft', `{"enrollment_id":"e7","saved_at":${Date.now()},"answers":${answers}}`)
    expect(loadDraft()).toEqual({})
  },
)

test('a page works in a browser that blocks storage', () => {
  for (const name of ['sessionStorage', 'localStorage'])
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => {
        throw new DOMException('blocked', 'SecurityError')
      },
    })
  saveDraft({ first_name: 'Zoë' }, {})
  saveDialCountry('DE')
  saveToken('t')
  forgetDraft()
  expect([loadDraft(), loadDialCountry()]).toEqual([{}, undefined])
})
