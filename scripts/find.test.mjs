import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findChromium, findFullChromium, missingBrowsers } from './find.mjs'

let folder = ''
const has = (...names) => {
  for (const name of names) writeFileSync(join(folder, name), '')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-find-'))
  vi.stubEnv('PATH', folder)
  vi.stubEnv('CHROMIUM_PATH', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

test('the browser that the machine is told comes first, but where a whole one is wanted', () => {
  has('chromium', 'chromium-headless-shell')
  expect(findChromium({ headlessShell: true })).toBe(join(folder, 'chromium-headless-shell'))
  vi.stubEnv('CHROMIUM_PATH', '/told')
  expect([findChromium(), findChromium({ headlessShell: true })]).toEqual(['/told', '/told'])
  expect(findFullChromium()).toBe(join(folder, 'chromium'))
})

test('without a whole one the other is taken', () => {
  vi.stubEnv('CHROMIUM_PATH', '/told')
  expect(findFullChromium()).toBe('/told')
})

test('who tells a browser has none installed', () => {
  expect(missingBrowsers()).toEqual(['chromium', 'chromium-headless-shell'])
  has('chromium')
  expect(missingBrowsers()).toEqual(['chromium-headless-shell'])
  vi.stubEnv('CHROMIUM_PATH', '/told')
  expect(missingBrowsers()).toEqual([])
})
