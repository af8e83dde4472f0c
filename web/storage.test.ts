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

const memory = () => {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  }
}

let tab = memory()
beforeEach(() => {
  tab = memory()
  vi.stubGlobal('sessionStorage', tab)
  vi.stubGlobal('localStorage', memory())
})
afterEach(() => vi.unstubAllGlobals())

test('a draft comes back, and no secret was ever written', () => {
  saveDraft({ first_name: 'Zoë', special_product_ids: '51', ...secret })
  expect(loadDraft()).toEqual({ first_name: 'Zoë', special_product_ids: '51' })
  const written = [...tab.kept.values()].join()
  for (const value of Object.values(secret)) if (value.length > 2) expect(written).not.toContain(value)
})

test('a forgotten draft is gone', () => {
  saveDraft({ first_name: 'Zoë' })
  forgetDraft()
  expect(loadDraft()).toEqual({})
})

test('15.2 who signs out leaves neither a receipt nor a key, nor what was typed', () => {
  saveDraft({ first_name: 'Zoë' })
  savePhones({ '+12025550123': { verified: true } })
  saveReceipt({ enrollment_id: 'e7', lines: [], total: '99.00' } as unknown as Receipt)
  saveToken('a.b.c')
  forgetMember()
  expect([loadReceipt(), localStorage.getItem('foyer.token')]).toEqual([undefined, null])
  expect(tab.kept.size).toBe(0)
})

test.each(['', 'null', '[1]', '{"first_name":7}', '{"password":"x"}', '{'])('a draft of %j is an empty one', (text) => {
  tab.kept.set('foyer.draft', text)
  expect(loadDraft()).toEqual({})
})

test('a browser that blocks storage breaks nothing', () => {
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
