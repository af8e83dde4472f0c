import { defineConfig, devices } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/find.mjs'

/** Pictures are made by npm run screens, in the browser that people have. */
const left = process.env.SCREENS ? [] : ['**/screens.spec.ts']
const executablePath = findChromium({ windowless: !process.env.SCREENS }) ?? ''

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 4, // on two cores they take a little less time than three
  timeout: 60_000,
  retries: 1, // npm test names every journey that needed its second try
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: { executablePath, args: chromiumFlags },
    screenshot: 'only-on-failure',
    trace: process.env.TRACE ? 'on' : 'off', // a trace of every step costs more than the steps
  },
  projects: [
    { name: 'phone', use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } }, testIgnore: left },
    {
      name: 'desktop',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 900 } },
      // What no width changes is tried on a phone only.
      testIgnore: [
        ...left,
        /(?:all-steps|autofill|captcha|checking|legal|meanwhile|messages|mishaps|moving|narrow|office|unanswered)\.spec\.ts$/,
      ],
      grepInvert: /axe finds nothing on|without its start data|a legal document opens|a package that ships/,
    },
  ],
})
