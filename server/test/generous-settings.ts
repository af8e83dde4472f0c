import { readConfig } from '#server/config/config.ts'

const limitNames = Object.keys(readConfig({})).filter((name) => name.startsWith('LIMIT_'))

/** Limits that no test reaches. They are ordinary settings. */
export const generousLimits: Record<string, string> = {
  ...Object.fromEntries(limitNames.map((name) => [name, '999999999/86400'])),
  BREAKER_DECLINES: '999999999/600/100',
  BREAKER_CODES: '999999999/600/100',
  PAYMENTS_AT_ONCE: '100000',
  HASHES_WAITING: '100000',
}

/** An easy captcha, and no minimum time to fill in the form. */
export const fastSettings = {
  LOG_LEVEL: 'warn',
  CAPTCHA_COST: '1',
  CAPTCHA_COUNTER: '2',
  MINIMUM_SECONDS: '0',
  TEST_PAGES_TOKEN: 'open-the-test-pages',
}

/** Opens the pages /__… of a test's site. */
export const TEST_PAGES_TOKEN = 'open-the-test-pages'
/** As in the links that a start prints. */
export const withTestPagesToken = (path: string) =>
  path.startsWith('/__') ? `${path}${path.includes('?') ? '&' : '?'}token=${TEST_PAGES_TOKEN}` : path
export const testPagesCookie = `foyer_test_pages=${TEST_PAGES_TOKEN}`

/** For sites of tests, drills and benches that run as in production. */
export const TEST_SECRET = 'tq2XvF0mK7uJd9sYc4EwRb1LhN6aZgPo8iTxQe3Ck5U'
