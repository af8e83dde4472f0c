import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type Draft,
  forgetDraft,
  forgetMember,
  loadDialCountry,
  loadDraft,
  loadReceipt,
  type Receipt,
  saveDialCountry,
  saveDraft,
  savePhones,
  saveReceipt,
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
beforeEach(() => {
  tab = memoryStorage()
  vi.stubGlobal('sessionStorage', tab)
  vi.stubGlobal('localStorage', memoryStorage())
})
afterEach(() => vi.unstubAllGlobals())

test('a draft can be loaded again, and no secret is ever stored', () => {
  saveDraft({ first_name: 'Zoë', special_product_ids: '51', ...secret })
  expect(loadDraft()).toEqual({ first_name: 'Zoë', special_product_ids: '51' })
  const written = [...tab.values.values()].join()
  for (const value of Object.values(secret)) if (value.length > 2) expect(written).not.toContain(value)
})

test('a forgotten draft is deleted', () => {
  saveDraft({ first_name: 'Zoë' })
  forgetDraft()
  expect(loadDraft()).toEqual({})
})

test('15.2 a sign-out deletes the receipt, the token and the draft', () => {
  saveDraft({ first_name: 'Zoë' })
  savePhones({ '+12025550123': { verified: true } })
  saveReceipt({ enrollment_id: 'e7', lines: [], total: '99.00' } as unknown as Receipt)
  saveToken('a.b.c')
  forgetMember()
  expect([loadReceipt(), localStorage.getItem('foyer.token')]).toEqual([undefined, null])
  expect(tab.values.size).toBe(0)
})

test.each(['', 'null', '[1]', '{"first_name":7}', '{"password":"x"}', '{'])(
  'a stored draft of %j is loaded as an empty one',
  (text) => {
    tab.values.set('foyer.draft', text)
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
  saveDraft({ first_name: 'Zoë' })
  saveDialCountry('DE')
  saveToken('t')
  forgetDraft()
  expect([loadDraft(), loadDialCountry()]).toEqual([{}, undefined])
})
