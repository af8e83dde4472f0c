import { defineConfig, devices } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/find.mjs'
import { TEST_PAGES_TOKEN } from './server/test/generous-settings.ts'

/** Screenshots are taken by npm run screens, in a full Chromium. */
const ignored = process.env.SCREENS ? [] : ['**/screens.spec.ts']
const executablePath = findChromium({ headlessShell: !process.env.SCREENS }) ?? ''

/**
 * Chromium keeps a spare process ready for the next page. A journey rarely opens one, and starting it takes a fifth of the time.
 * The other names are Playwright's own, because this switch replaces its list.
 */
const disabledFeatures = [
  'SpareRendererForSitePerProcess',
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'AvoidCorsURLLoaderRestartOnRedirect', 'DestroyProfileOnBrowserClose'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
]
const args = [...chromiumFlags, `--disable-features=${disabledFeatures}`]

/** Painting a seventh of the pixels takes a seventh of the time. The screenshots have them all. */
const fewPixels = process.env.SCREENS ? {} : { deviceScaleFactor: 1 }

/** Opens the pages /__… of every site on this machine, as the link that a start prints does. */
const testPagesCookie = {
  ...{ name: 'foyer_test_pages', value: TEST_PAGES_TOKEN, domain: 'localhost', path: '/' },
  ...{ expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' as const },
}

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts', // e2e/engines/ runs in Vitest
  globalSetup: './e2e/start-sites.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 4, // slightly faster than 3 on two cores
  timeout: 240_000, // a machine that gets a third of its cores is slow, not wrong
  retries: 0, // a journey that passes only on a second try is wrong, or the site is
  expect: { timeout: 30_000 }, // as presses and fields, which wait until the test's own deadline: a busy machine is slow, not wrong
  use: {
    baseURL: process.env.BASE_URL,
    storageState: { cookies: [testPagesCookie], origins: [] },
    launchOptions: { executablePath, args },
    screenshot: 'only-on-failure',
    reducedMotion: 'reduce', // dialog.spec.ts and spec-dialogs.spec.ts have the animations
    trace: process.env.TRACE ? 'on' : 'off', // tracing every step costs more time than the steps
  },
  projects: [
    {
      name: 'phone',
      use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 }, ...fewPixels },
      testIgnore: ignored,
      grepInvert: /@desktop/,
    },
    {
      name: 'desktop',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 900 } },
      testIgnore: ignored,
      grep: process.env.SCREENS ? /./ : /@width|@desktop/, // journeys that depend on the width of the screen, or need a keyboard; the others need only the phone
    },
  ],
})
