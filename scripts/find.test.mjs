import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findChromium, findFirefox, findFullChromium, missingBrowsers, missingEngines } from './find.mjs'

let folder = ''
const install = (...names) => {
  for (const name of names) writeFileSync(join(folder, name), '')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-find-'))
  vi.stubEnv('PATH', folder)
  vi.stubEnv('CHROMIUM_PATH', undefined)
  vi.stubEnv('FIREFOX_PATH', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

test('CHROMIUM_PATH comes first, except where a full build is needed', () => {
  install('chromium', 'chromium-headless-shell')
  expect(findChromium({ headlessShell: true })).toBe(join(folder, 'chromium-headless-shell'))
  vi.stubEnv('CHROMIUM_PATH', '/configured')
  expect([findChromium(), findChromium({ headlessShell: true })]).toEqual(['/configured', '/configured'])
  expect(findFullChromium()).toBe(join(folder, 'chromium'))
})

test('without a full build, CHROMIUM_PATH is used', () => {
  vi.stubEnv('CHROMIUM_PATH', '/configured')
  expect(findFullChromium()).toBe('/configured')
})

test('with CHROMIUM_PATH no browser is missing', () => {
  expect(missingBrowsers()).toEqual(['chromium', 'chromium-headless-shell'])
  install('chromium')
  expect(missingBrowsers()).toEqual(['chromium-headless-shell'])
  vi.stubEnv('CHROMIUM_PATH', '/configured')
  expect(missingBrowsers()).toEqual([])
})

test('18.1 Firefox, and WebKit with its driver and a virtual screen, are named as missing until they are there', () => {
  expect(missingEngines()).toEqual(['firefox-esr', 'webkit2gtk-driver', 'xvfb'])
  install('WebKitWebDriver')
  expect(missingEngines()).toEqual(['firefox-esr', 'webkit2gtk-driver', 'xvfb'])
  install('firefox-esr')
  expect(missingEngines()).toEqual(['webkit2gtk-driver', 'xvfb'])
  vi.stubEnv('FIREFOX_PATH', '/configured')
  expect(findFirefox()).toBe('/configured')
})
