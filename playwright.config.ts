import { defineConfig, devices } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/find.mjs'

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

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts', // e2e/engines/ runs in Vitest
  globalSetup: './e2e/start-sites.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 4, // slightly faster than 3 on two cores
  timeout: 90_000,
  retries: 1, // npm test reports each journey that needed its second try
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: { executablePath, args },
    screenshot: 'only-on-failure',
    trace: process.env.TRACE ? 'on' : 'off', // tracing every step costs more time than the steps
  },
  projects: [
    { name: 'phone', use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } }, testIgnore: ignored },
    {
      name: 'desktop',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 900 } },
      // Journeys that do not depend on the screen width run on the phone only.
      testIgnore: [
        ...ignored,
        /(?:all-steps|autofill|captcha|card-page|console-\w+|email-address|legal|messages|navigation|office|office-failures|office-profile|payment-problems|pending-payment|small-screens|spec-\w+|dark|stale-page)\.spec\.ts$/,
      ],
      grepInvert:
        /a colleague signs out and in again|a colleague gets in with a password|support helps members|axe finds nothing on|without its start data|a legal document opens|a package that ships/,
    },
  ],
})
