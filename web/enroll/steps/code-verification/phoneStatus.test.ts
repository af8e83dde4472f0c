import { beforeEach, expect, test, vi } from 'vitest'
import { forgetDraft, loadPhones, type PhoneStatuses } from '#web/storage.ts'
import {
  noteSent,
  noteUnverified,
  noteVerified,
  type PhoneStore,
  phoneStatus,
  secondsUntilResend,
} from './phoneStatus.ts'

const memoryStorage = () => {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, text: string) => values.set(key, text),
    removeItem: (key: string) => values.delete(key),
  }
}

/** The page after a load, with what the browser has stored. */
const load = (): PhoneStore => {
  let phones: PhoneStatuses = loadPhones()
  return {
    getState: () => ({ phones }),
    update: (change) => {
      phones = change.phones
    },
  }
}

let browser = memoryStorage()
beforeEach(() => {
  browser = memoryStorage()
  vi.stubGlobal('localStorage', browser)
  vi.stubGlobal('document', { querySelector: () => ({ content: 'e7' }) })
  return () => vi.unstubAllGlobals()
})

const noon = Date.UTC(2026, 10, 15, 12)

test.each<[string, number | undefined, number, number]>([
  ['no code was sent', undefined, noon, 0],
  ['it was sent just now', noon, noon, 30],
  ['half a second has passed', noon, noon + 500, 30],
  ['a second has passed', noon, noon + 1000, 29],
  ['it is nearly over', noon, noon + 29_999, 1],
  ['it is over', noon, noon + 30_000, 0],
  ['the tab slept for an hour', noon, noon + 3_600_000, 0],
  ['the clock was corrected by a little', noon, noon - 400, 30],
  ['the clock was set back by an hour', noon, noon - 3_600_000, 0],
])('5.2 resend counts down from 30 seconds by the clock: %s', (_, sent_at, now, seconds) => {
  expect(secondsUntilResend(sent_at, now)).toBe(seconds)
})

test('a countdown continues after a reload', () => {
  const page = load()
  noteSent(page, '+12025550123')
  const { sent_at } = phoneStatus(page, '+12025550123')
  const reloaded = load()
  expect(phoneStatus(reloaded, '+12025550123')).toEqual({ sent_at })
  expect(phoneStatus(reloaded, '+12025550124')).toEqual({})
})

test('13.3 a code that was sent before counts down from the remaining seconds', () => {
  const page = load()
  noteSent(page, '+12025550123', 12)
  expect(secondsUntilResend(phoneStatus(page, '+12025550123').sent_at, Date.now())).toBe(12)
})

test('a verified number is remembered by the tab, another number is not', () => {
  noteVerified(load(), '+12025550123')
  const reloaded = load()
  const isVerified = ['+12025550123', '+12025550124', ''].map((phone) => phoneStatus(reloaded, phone).verified === true)
  expect(isVerified).toEqual([true, false, false])
})

test('5.1 a code to another number voids the first number, as it does on the server', () => {
  const page = load()
  noteSent(page, '+12025550123')
  noteVerified(page, '+12025550123')
  noteSent(page, '+12025550124')
  const reloaded = load()
  expect(phoneStatus(reloaded, '+12025550123')).toEqual({})
  expect(phoneStatus(reloaded, '+12025550124')).toEqual({ sent_at: expect.any(Number) })
})

test('a verified number stays verified when it is sent another code', () => {
  const page = load()
  noteVerified(page, '+12025550123')
  noteSent(page, '+12025550123')
  expect(phoneStatus(page, '+12025550123').verified).toBe(true)
})

test('a number that the server says is not verified needs a new code', () => {
  const page = load()
  noteSent(page, '+12025550123')
  noteVerified(page, '+12025550123')
  noteUnverified(page, '+12025550123')
  expect(phoneStatus(load(), '+12025550123')).toEqual({})
})

test('a browser that blocks storage remembers for as long as the page is open', () => {
  vi.stubGlobal('localStorage', undefined)
  const page = load()
  noteVerified(page, '+12025550123')
  expect(phoneStatus(page, '+12025550123').verified).toBe(true)
})

test.each(['', '{', 'null', '[]', '{"+12025550123":7}', '{"+12025550123":{"verified":"yes","sent_at":"now"}}'])(
  'a browser that stored %j knows nothing',
  (text) => {
    browser.values.set('foyer.draft', `{"enrollment_id":"e7","saved_at":${Date.now()},"phones":${text || null}}`)
    expect(phoneStatus(load(), '+12025550123')).toEqual({})
  },
)

test('forgetting the draft also forgets the phone numbers', () => {
  noteVerified(load(), '+12025550123')
  forgetDraft()
  expect(browser.values.size).toBe(0)
})
