import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Page, test } from '@playwright/test'
import type { FallbackStart, StartData } from '../contract/start.ts'
import { freePort } from '../scripts/port.mjs'
import { findAxeViolations } from './axe.ts'
import { fillAccount, holdScript, newVisitor, next, waitForHydration } from './visitor.ts'

/** Collects console errors, warnings, exceptions and requests to other origins. */
const collectProblems = (page: Page) => {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== new URL(process.env.BASE_URL ?? '').origin)
      problems.push(`request to a third party: ${request.url()}`)
  })
  return problems
}

test('12.9 animations are off for visitors who prefer reduced motion', async ({ page }) => {
  const transitionDuration = () =>
    page.locator('.step-form .button').evaluate((button) => getComputedStyle(button).transitionDuration)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto('/ana')
  expect(await transitionDuration()).toBe('0.15s')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await transitionDuration()).toBe('0s')
})

test('12.9 with forced colors the progress bars still differ, and icons have the color of their text', {
  tag: '@width',
}, async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/ana')
  const styleOf = (selector: string, property: 'border-top-color' | 'border-top-style' | 'color') =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
  const [done, open] = ['.indicator .active', '.indicator li:not(.active)']
  for (const property of ['border-top-color', 'border-top-style'] as const)
    expect(await styleOf(done, property), property).not.toBe(await styleOf(open, property))
  for (const part of [done, open]) expect(await styleOf(`${part} .icon`, 'color')).toBe(await styleOf(part, 'color'))
})

/** A visible text. The same text may also be in a collapsed section. */
const visibleText = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first()

test('1.1 the first page shows the sponsor, the price and what renews', { tag: '@width' }, async ({
  page,
  isMobile,
}) => {
  const problems = collectProblems(page)
  await page.goto('/ana')
  await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  await expect(visibleText(page, '$99.00')).toBeVisible()
  await expect(visibleText(page, "Ana's Paper Lantern Studio")).toBeVisible()
  await waitForHydration(page)
  if (isMobile) {
    const top = (await page.getByRole('heading', { level: 1 }).boundingBox())?.y
    expect(top, 'what stands above the heading of a phone').toBeLessThan(180)
    await page.locator('.order summary').click()
  }
  await expect(visibleText(page, 'Founding Membership')).toBeVisible()
  await expect(visibleText(page, 'Then monthly, from')).toBeVisible()
  expect(problems).toEqual([])
})

test('1.1 1.7 / redirects to the operator’s own site, and the visit is counted', async ({ page }) => {
  const pageHit = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/page-hits/master'))
  await page.goto('/')
  await expect(page).toHaveURL('/master')
  await expect(visibleText(page, 'Main Office')).toBeVisible()
  await pageHit // does not finish unless the page reads the response
})

test('14.3 the script of the next step is fetched when the visitor starts, even before the main script has arrived, and not earlier', async ({
  page,
}) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname.replace(/-.*/, ''))
  })
  await page.route('**/assets/main-*.js', () => undefined) // never responds
  await page.goto('/ana', { waitUntil: 'commit' })
  await page.getByLabel('First name').waitFor()
  await expect.poll(() => scripts).toEqual(['/assets/main'])
  await page.getByLabel('First name').focus()
  await expect.poll(() => scripts).toEqual(['/assets/main', '/assets/next'])
})

/** Serves a page of the site piece by piece, its end only once the browser has painted something, and nothing else. */
async function serveSlowly(site: string, address: string) {
  const pieces = (await (await fetch(new URL(address, process.env[site]))).text()).split(/(?=<\w)/)
  const painted = Promise.withResolvers<void>()
  const slowServer = createServer(async ({ url }, reply) => {
    reply.writeHead(url === address ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    if (url !== address) return reply.end()
    for (const piece of pieces.slice(0, -1)) {
      reply.write(piece)
      await sleep(8)
    }
    await painted.promise
    reply.end(pieces.at(-1))
  })
  slowServer.listen(await freePort(), '127.0.0.1')
  await once(slowServer, 'listening')
  return { slowServer, isPainted: painted.resolve }
}

for (const site of ['BASE_URL', 'BASE_URL_ALL_STEPS'])
  test(`14.6 on a slow connection the first page is painted piece by piece without layout shifts: ${site}`, {
    tag: '@width',
  }, async ({ page }) => {
    const { slowServer, isPainted } = await serveSlowly(site, '/ana')
    await page.addInitScript(() => {
      const layoutShifts: unknown[] = []
      const addShift = (entry: PerformanceEntry & { sources?: { node?: Node }[] }) =>
        layoutShifts.push(entry.sources?.map(({ node }) => node?.textContent))
      new PerformanceObserver((list) => list.getEntries().forEach(addShift)).observe({ type: 'layout-shift' })
      Object.assign(window, { layoutShifts })
    })
    const { port } = slowServer.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/ana`, { waitUntil: 'commit' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    isPainted()
    await page.waitForLoadState()
    expect(await page.evaluate('layoutShifts')).toEqual([])
    slowServer.closeAllConnections()
    slowServer.close()
  })

test('1.3 a link to an unknown site is reported once, and leads to the operator’s own site', async ({ page }) => {
  await page.goto('/nobodyhere')
  await expect(page).toHaveURL('/master')
  await expect(page.getByText('nobodyhere')).toBeVisible()
  await page.reload()
  await expect(page.getByText('nobodyhere')).toBeHidden()
})

test('1.4 a renamed site redirects to its new name', async ({ page }) => {
  await page.goto('/harbor')
  await expect(page).toHaveURL('/bluepier')
})

test.describe('a page without its start data', () => {
  const PACKAGES = '**/api/enrollment/enrollment_packages*'
  const unavailable = { status: 503, json: { message: 'The database does not answer.' } }

  /** Renders with the built bundle in a child process, because Playwright would compile the bundle again here. */
  const renderPage = (start: FallbackStart) => {
    const script = `import { pages } from './dist/render/render.js'; console.log(pages.enroll(${JSON.stringify(start)}))`
    return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  }

  /** Opens the page that the server sends while its database does not respond. API calls work again. */
  async function openWithoutData(page: Page, sponsor_site: string) {
    await page.route('/master', async (route) => {
      const reply = await route.fetch()
      const html = await reply.text()
      const [, startJson = ''] = /id="start">(.*?)<\/script>/.exec(html) ?? []
      const { today, time_zone, renews_on, policy, site_hosts, test_payments }: StartData = JSON.parse(startJson)
      const start = { sponsor_site, today, time_zone, renews_on, policy, site_hosts, test_payments }
      const [head = ''] = html.split('<div id="foyer">')
      const json = `<script type="application/json" id="start">${JSON.stringify(start)}</script>`
      await route.fulfill({ response: reply, body: `${head}${renderPage(start)}${json}</body></html>` })
    })
    await page.goto('/master')
  }

  test('1.9 calls the API itself, and retries when the API fails', async ({ page }) => {
    await page.route(PACKAGES, (route) => route.fulfill(unavailable), { times: 1 })
    await openWithoutData(page, 'ana')
    await expect(page.getByRole('heading', { name: 'One moment, please' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
    await expect(visibleText(page, '$99.00')).toBeVisible()
    await expect(visibleText(page, "Ana's Paper Lantern Studio")).toBeVisible()
    await fillAccount(page, newVisitor())
    await next(page)
    await expect(page.getByLabel('Email address')).toBeVisible()
  })

  test('1.9 1.4 follows a renamed site', async ({ page }) => {
    await openWithoutData(page, 'harbor')
    await expect(page).toHaveURL('/bluepier')
  })

  test('1.9 1.3 names the unknown site', async ({ page }) => {
    await openWithoutData(page, 'nobodyhere')
    await expect(page.getByText('nobodyhere')).toBeVisible()
    await expect(page).toHaveURL('/master')
  })

  test('1.9 shows an error when several retries fail', async ({ page }) => {
    let requests = 0
    await page.route(PACKAGES, (route) => {
      requests++
      return route.fulfill(unavailable)
    })
    await page.clock.install()
    await openWithoutData(page, 'ana')
    for (const [tries, pause] of [1000, 2000, 4000].entries()) {
      await expect.poll(() => requests).toBe(tries + 1)
      await page.clock.runFor(pause)
    }
    const dialog = page.getByRole('alertdialog', { name: 'Error' })
    await expect(dialog).toContainText('The database does not answer.')
    expect(requests).toBe(4)
    await dialog.getByRole('button').last().click()
    await expect(page.getByText('The site is not responding at the moment.')).toBeVisible()
    await page.unroute(PACKAGES)
    await page.getByRole('link', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  })
})

test('16.1 16.3 a second sponsor’s link stays on that sponsor’s page, which offers the first sponsor', {
  tag: '@width',
}, async ({ page }) => {
  await page.goto('/ana')
  await waitForHydration(page)
  await page.getByLabel('First name').fill('Zoë')
  await page.goto('/bluepier')
  await expect(page).toHaveURL('/bluepier')
  await expect(visibleText(page, 'Blue Pier Kite Works')).toBeVisible()
  await expect(page.getByText("You opened Ana's Paper Lantern Studio’s link first.")).toBeVisible()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
  await waitForHydration(page)
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('link', { name: /^Join with Ana.+ instead/ }).click()
  await expect(page).toHaveURL('/ana')
  await expect(page.getByText('link first.')).toBeHidden()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
  await page.goto('/')
  await expect(page).toHaveURL('/master')
  await expect(page.getByText('link first.')).toBeVisible()
})

test('1.5 16.1 the button about an inactive sponsor leads to the main site, also after another sponsor’s link', async ({
  page,
}) => {
  await page.goto('/ana')
  await page.goto('/oldmill')
  await page.getByRole('button', { name: 'Click here and sign up on our main website.' }).click()
  await expect(page).toHaveURL('/master')
})

test('6.2 an unknown address shows a designed page with a link to the home page', async ({ page }) => {
  const reply = await page.goto('/no/such/page')
  expect(reply?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await expect(page).toHaveURL('/master')
})

test.describe('with scripts blocked', () => {
  test.use({ javaScriptEnabled: false })
  test('1.1 the page can still be read', { tag: '@width' }, async ({ page }) => {
    await page.goto('/ana')
    await expect(page.getByText('About Yourself', { exact: true })).toBeVisible()
    await expect(page.getByText('Billing & Checkout')).toBeVisible()
    await expect(visibleText(page, '$99.00')).toBeVisible()
    await expect(visibleText(page, "Ana's Paper Lantern Studio")).toBeVisible()
    await expect(page.getByLabel('First name')).toBeVisible()
    expect(await page.content()).toContain('needs JavaScript')
  })
})

test('1.1 text typed before the script arrives is kept, and an early press of Next counts', async ({ page }) => {
  const releaseScript = await holdScript(page)
  await page.goto('/ana', { waitUntil: 'commit' })
  await page.getByLabel('First name').fill('Zoë')
  await page.getByLabel('Last name').fill('Example')
  await page.getByLabel('Mobile phone number').fill('(202) 555-0123')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page).toHaveURL('/ana')
  releaseScript()
  await expect(page.getByLabel('Email address')).toBeVisible()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
})

for (const address of [
  '/ana',
  '/nobodyhere',
  '/oldmill',
  '/no/such/page',
  '/api/docs',
  '/__outbox',
  '/__payments',
  '/__clock',
])
  test(`axe finds nothing on ${address}`, async ({ page }) => {
    await page.goto(address)
    if (address === '/oldmill') await expect(page.getByRole('dialog')).toBeVisible()
    // The API calls all look the same, so checking the first few is enough.
    await page.evaluate(() => {
      for (const call of [...document.querySelectorAll('.call')].slice(4)) call.remove()
    })
    expect(await findAxeViolations(page)).toEqual([])
  })

test('7.1 pages are never cached, and scripts are cached for a year', async ({ page }) => {
  const replies = new Map<string, string>()
  page.on('response', (reply) => replies.set(new URL(reply.url()).pathname, reply.headers()['cache-control'] ?? ''))
  await page.goto('/ana')
  await waitForHydration(page)
  const scripts = [...replies].filter(([path]) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  for (const [path, cacheControl] of scripts) expect(cacheControl, path).toBe('public, max-age=31536000, immutable')
  expect(replies.get('/ana')).toBe('no-store')
})

test('8.5 the API reference is filtered by a word, follows a deep link, and copies an example', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/api/docs')
  await page.getByLabel('Find a call').fill('cellphone')
  const call = page.locator('.call:visible h3')
  await expect(call).toHaveText(['Send a verification code by voice call'])
  await expect(page.getByRole('status')).toHaveText(/^1 of \d+ calls$/)
  await page.evaluate(() => {
    location.hash = 'validateUsername'
  })
  const article = page.getByRole('article', { name: 'Check whether a username is available' })
  await expect(article).toBeInViewport()
  await article.getByRole('button', { name: 'Copy' }).first().click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`-d '{"username":"zoe"}'`)
})
