import { beforeEach, expect, test, vi } from 'vitest'
import type { Policy } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'

const memory = () => {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  }
}

/** The page as it is after a load: with the tab's storage, and no memory of its own. */
const load = () => {
  vi.resetModules()
  return import('./phoneStatus.ts')
}

let tab = memory()
beforeEach(() => {
  tab = memory()
  vi.stubGlobal('sessionStorage', tab)
  return () => vi.unstubAllGlobals()
})

const noon = Date.UTC(2026, 10, 15, 12)

test.each<[string, number | undefined, number, number]>([
  ['no code was sent', undefined, noon, 0],
  ['it was sent this moment', noon, noon, 30],
  ['half a second has passed', noon, noon + 500, 30],
  ['a second has passed', noon, noon + 1000, 29],
  ['it is nearly over', noon, noon + 29_999, 1],
  ['it is over', noon, noon + 30_000, 0],
  ['the tab slept for an hour', noon, noon + 3_600_000, 0],
  ['the clock was put right by a little', noon, noon - 400, 30],
  ['the clock was turned back by an hour', noon, noon - 3_600_000, 0],
])('the owner: resend counts down from 30 seconds by the clock: %s', (_, sent_at, now, left) =>
  load().then(({ secondsLeft }) => expect(secondsLeft(sent_at, now)).toBe(left)),
)

test('a countdown goes on after a reload', async () => {
  const { noteSent } = await load()
  const { sent_at } = noteSent('+12025550123')
  const { phoneOf } = await load()
  expect(phoneOf('+12025550123')).toEqual({ sent_at })
  expect(phoneOf('+12025550124')).toEqual({})
})

test('13.3 a code that was sent before counts down from what is left', async () => {
  const { noteSent, secondsLeft } = await load()
  expect(secondsLeft(noteSent('+12025550123', 12).sent_at, Date.now())).toBe(12)
})

test('a verified number is remembered for the tab, another number is not', async () => {
  const { noteVerified } = await load()
  noteVerified('+12025550123')
  const { isVerified } = await load()
  expect([isVerified('+12025550123'), isVerified('+12025550124'), isVerified('')]).toEqual([true, false, false])
})

test('5.1 a code to another number voids what was known of the first, as it does on the server', async () => {
  const { noteSent, noteVerified } = await load()
  noteSent('+12025550123')
  noteVerified('+12025550123')
  noteSent('+12025550124')
  const { phoneOf } = await load()
  expect(phoneOf('+12025550123')).toEqual({})
  expect(phoneOf('+12025550124')).toEqual({ sent_at: expect.any(Number) })
})

test('a number that was confirmed stays so when it is sent another code', async () => {
  const { noteSent, noteVerified, isVerified } = await load()
  noteVerified('+12025550123')
  noteSent('+12025550123')
  expect(isVerified('+12025550123')).toBe(true)
})

test('what the server does not know of is asked again, with a new code', async () => {
  const { noteSent, noteVerified, noteUnverified } = await load()
  noteSent('+12025550123')
  noteVerified('+12025550123')
  noteUnverified('+12025550123')
  const { phoneOf } = await load()
  expect(phoneOf('+12025550123')).toEqual({})
})

test('a browser that blocks storage remembers for the page', async () => {
  vi.stubGlobal('sessionStorage', undefined)
  const { noteVerified, isVerified } = await load()
  noteVerified('+12025550123')
  expect(isVerified('+12025550123')).toBe(true)
})

test.each(['', '{', 'null', '[]', '{"+12025550123":7}', '{"+12025550123":{"verified":"yes","sent_at":"now"}}'])(
  'a tab that kept %j knows nothing',
  async (text) => {
    tab.kept.set('foyer.phones', text)
    const { phoneOf } = await load()
    expect(phoneOf('+12025550123')).toEqual({})
  },
)

test('a draft that is forgotten takes its numbers along', async () => {
  const { noteVerified } = await load()
  noteVerified('+12025550123')
  const { forgetDraft } = await import('#web/storage.ts')
  forgetDraft()
  expect(tab.kept.size).toBe(0)
})

test('with verification on only a verified number leads to ACCOUNT_CREATION', async () => {
  const policy: Policy = { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: true }
  const draft: Draft = { product_ids: '34', first_name: 'Zoë', last_name: 'Kim', mobile_phone: '+12025550123' }
  const { noteVerified } = await load()
  const { reachable } = await import('#web/enroll/wizard/rules.ts')
  expect(reachable('ACCOUNT_CREATION', draft, policy)).toBe('CODE_VERIFICATION')
  noteVerified('+12025550123')
  expect(reachable('ACCOUNT_CREATION', draft, policy)).toBe('ACCOUNT_CREATION')
  expect(reachable('ACCOUNT_CREATION', { ...draft, mobile_phone: '+12025550124' }, policy)).toBe('CODE_VERIFICATION')
})
