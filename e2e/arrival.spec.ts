import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Page, test } from '@playwright/test'
import type { FallbackStart, StartData } from '../contract/start.ts'
import { freePort } from '../scripts/port.mjs'
import { complaints } from './axe.ts'
import { awake, fillAccount, next, someone } from './visitor.ts'

/** Everything that a strict page must not do, collected while a test runs. */
const watch = (page: Page) => {
  const trouble: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') trouble.push(message.text())
  })
  page.on('pageerror', (error) => trouble.push(String(error)))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== new URL(process.env.BASE_URL ?? '').origin) trouble.push(`asked a third party: ${request.url()}`)
  })
  return trouble
}

test('12.9 who asks for less motion gets less', async ({ page }) => {
  const quickly = () =>
    page.locator('.step-form .button').evaluate((button) => getComputedStyle(button).transitionDuration)
  await page.goto('/ana')
  expect(await quickly()).toBe('0.15s')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await quickly()).toBe('0s')
})

test('12.9 where the system chooses the colours, the bars differ and icons have the colour of their words', async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/ana')
  const look = (selector: string, property: 'border-top-color' | 'border-top-style' | 'color') =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
  const [done, open] = ['.indicator .active', '.indicator li:not(.active)']
  for (const property of ['border-top-color', 'border-top-style'] as const)
    expect(await look(done, property), property).not.toBe(await look(open, property))
  for (const part of [done, open]) expect(await look(`${part} .icon`, 'color')).toBe(await look(part, 'color'))
})

/** A text that the visitor sees; folded copies of it do not count. */
const seen = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first()

test('1.1 the first screen shows whom one joins under, what it costs and what renews', async ({ page }) => {
  const trouble = watch(page)
  await page.goto('/ana')
  await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  await expect(seen(page, 'Founding Membership')).toBeVisible()
  await expect(seen(page, '$99.00')).toBeVisible()
  await expect(seen(page, "Ana's Paper Lantern Studio")).toBeVisible()
  await awake(page)
  expect(trouble).toEqual([])
})

test('1.1 1.7 / leads to the main office, where a visit is counted and its answer read', async ({ page }) => {
  const counted = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/page-hits/master'))
  await page.goto('/')
  await expect(page).toHaveURL('/master')
  await expect(seen(page, 'Main Office')).toBeVisible()
  await counted // unread, it would never be
})

test('14.3 who begins before the script is here fetches the next one, and nobody else does', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname.replace(/-.*/, ''))
  })
  await page.route('**/assets/main-*.js', () => undefined) // never comes
  await page.goto('/ana', { waitUntil: 'commit' })
  await page.getByLabel('First name').waitFor()
  expect(scripts).toEqual(['/assets/main'])
  await page.getByLabel('First name').focus()
  await expect.poll(() => scripts).toEqual(['/assets/main', '/assets/next'])
})

/** Foyer's page on a line so slow that the browser paints it piece by piece; nothing else comes. */
async function dribbled(site: string, address: string) {
  const html = await (await fetch(new URL(address, process.env[site]))).text()
  const line = createServer(async ({ url }, reply) => {
    reply.writeHead(url === address ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    for (const piece of url === address ? html.split(/(?=<\w)/) : []) {
      reply.write(piece)
      await sleep(8)
    }
    reply.end()
  })
  line.listen(await freePort(), '127.0.0.1')
  await once(line, 'listening')
  return line
}

for (const site of ['BASE_URL', 'BASE_URL_ALL_STEPS'])
  test(`14.6 on a slow line the first screen is painted piece by piece, and nothing moves: ${site}`, async ({
    page,
  }) => {
    const line = await dribbled(site, '/ana')
    await page.addInitScript(() => {
      const moved: unknown[] = []
      const note = (entry: PerformanceEntry & { sources?: { node?: Node }[] }) =>
        moved.push(entry.sources?.map(({ node }) => node?.textContent))
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: 'layout-shift' })
      Object.assign(window, { moved })
    })
    const { port } = line.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/ana`)
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    const [painted, read] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).responseEnd,
    ])
    expect(painted, 'while it is still being read').toBeLessThan(read ?? 0)
    expect(await page.evaluate('moved')).toEqual([])
    line.closeAllConnections()
    line.close()
  })

test('1.3 a lost link says so, and whom one joins under instead', async ({ page }) => {
  await page.goto('/nobodyhere')
  await expect(page).toHaveURL('/master')
  await expect(page.getByText('nobodyhere')).toBeVisible()
  await page.reload()
  await expect(page.getByText('nobodyhere')).toBeHidden()
})

test('1.4 a renamed link leads on', async ({ page }) => {
  await page.goto('/harbor')
  await expect(page).toHaveURL('/bluepier')
})

test.describe('a page without its start data', () => {
  const PACKAGES = '**/api/enrollment/enrollment_packages*'
  const noAnswer = { status: 503, json: { message: 'The database does not answer.' } }

  /** By the build, in a process of its own: here the whole of it would be compiled once more. */
  const rendered = (start: FallbackStart) => {
    const script = `import { pages } from './dist/render/render.js'; console.log(pages.enroll(${JSON.stringify(start)}))`
    return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  }

  /** As the server sends it while its database does not answer; the calls work again, unless a test says otherwise. */
  async function openBare(page: Page, sponsor_site: string) {
    await page.route('/master', async (route) => {
      const reply = await route.fetch()
      const html = await reply.text()
      const [, told = ''] = /id="start">(.*?)<\/script>/.exec(html) ?? []
      const { renews_on, policy, test_payments }: StartData = JSON.parse(told)
      const start = { sponsor_site, renews_on, policy, test_payments }
      const [head = ''] = html.split('<div id="foyer">')
      const json = `<script type="application/json" id="start">${JSON.stringify(start)}</script>`
      await route.fulfill({ response: reply, body: `${head}${rendered(start)}${json}</body></html>` })
    })
    await page.goto('/master')
  }

  test('1.9 asks the API itself, and again when that does not answer at once', async ({ page }) => {
    await page.route(PACKAGES, (route) => route.fulfill(noAnswer), { times: 1 })
    await openBare(page, 'ana')
    await expect(page.getByRole('heading', { name: 'One moment, please' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
    await expect(seen(page, 'Founding Membership')).toBeVisible()
    await expect(seen(page, '$99.00')).toBeVisible()
    await expect(seen(page, "Ana's Paper Lantern Studio")).toBeVisible()
    await fillAccount(page, someone())
    await next(page)
    await expect(page.getByLabel('Email address')).toBeVisible()
  })

  test('1.9 1.4 goes where a renamed site leads', async ({ page }) => {
    await openBare(page, 'harbor')
    await expect(page).toHaveURL('/bluepier')
  })

  test('1.9 1.3 names a lost word', async ({ page }) => {
    await openBare(page, 'nobodyhere')
    await expect(page.getByText('nobodyhere')).toBeVisible()
    await expect(page).toHaveURL('/master')
  })

  test('1.9 says so when nobody answers after some tries', async ({ page }) => {
    let asked = 0
    await page.route(PACKAGES, (route) => {
      asked++
      return route.fulfill(noAnswer)
    })
    await page.clock.install()
    await openBare(page, 'ana')
    for (const [tries, pause] of [1000, 2000, 4000].entries()) {
      await expect.poll(() => asked).toBe(tries + 1)
      await page.clock.runFor(pause)
    }
    const dialog = page.getByRole('alertdialog', { name: 'Error' })
    await expect(dialog).toContainText('The database does not answer.')
    expect(asked).toBe(4)
    await dialog.getByRole('button').last().click()
    await expect(page.getByText('The site is not responding at the moment.')).toBeVisible()
    await page.unroute(PACKAGES)
    await page.getByRole('link', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  })
})

test('16.3 a second sponsor’s link leads to the first, who is named, and the visitor may choose', async ({ page }) => {
  await page.goto('/ana')
  await awake(page)
  await page.getByLabel('First name').fill('Zoë')
  await page.goto('/bluepier')
  await expect(page).toHaveURL('/ana')
  await expect(page.getByText('You also opened a link from Blue Pier Kite Works.')).toBeVisible()
  await expect(page.getByText('whose link you opened first.')).toBeVisible()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
  await awake(page)
  expect(await complaints(page)).toEqual([])
  await page.getByRole('button', { name: 'Join with Blue Pier Kite Works instead' }).click()
  await expect(page).toHaveURL('/bluepier')
  await expect(seen(page, 'Blue Pier Kite Works')).toBeVisible()
  await expect(page.getByText('You have also opened')).toBeHidden()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
  await page.goto('/')
  await expect(page).toHaveURL('/bluepier')
  await page.goto('/ana')
  await expect(page.getByText('You are joining with Blue Pier Kite Works, the sponsor you chose.')).toBeVisible()
})

test('6.2 an address that is nobody’s is a designed page with a way on', async ({ page }) => {
  const reply = await page.goto('/no-such-page')
  expect(reply?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page
    .getByRole('link', { name: /join|main|start/i })
    .first()
    .click()
  await expect(page).toHaveURL('/master')
})

test.describe('with scripts blocked', () => {
  test.use({ javaScriptEnabled: false })
  test('1.1 the frame stands and can be read', async ({ page }) => {
    await page.goto('/ana')
    await expect(page.getByText('About Yourself', { exact: true })).toBeVisible()
    await expect(page.getByText('Billing & Checkout')).toBeVisible()
    await expect(seen(page, '$99.00')).toBeVisible()
    await expect(seen(page, "Ana's Paper Lantern Studio")).toBeVisible()
    await expect(page.getByLabel('First name')).toBeVisible()
    expect(await page.content()).toContain('needs JavaScript')
  })
})

test('1.1 what is typed before the script arrives stays, and an early Next is honoured', async ({ page }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/ana', { waitUntil: 'commit' })
  await page.getByLabel('First name').fill('Zoë')
  await page.getByLabel('Last name').fill('Example')
  await page.getByLabel('Mobile phone number').fill('(202) 555-0123')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page).toHaveURL('/ana')
  release()
  await expect(page.getByLabel('Email address')).toBeVisible()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('First name')).toHaveValue('Zoë')
})

for (const address of ['/ana', '/nobodyhere', '/oldmill', '/no-such-page', '/api/docs', '/__outbox', '/__payments'])
  test(`axe finds nothing on ${address}`, async ({ page }) => {
    await page.goto(address)
    if (address === '/oldmill') await expect(page.getByRole('dialog')).toBeVisible()
    // Calls are drawn alike: what axe says of a few it says of all.
    await page.evaluate(() => {
      for (const call of [...document.querySelectorAll('.call')].slice(4)) call.remove()
    })
    expect(await complaints(page)).toEqual([])
  })

test('7.1 pages and files come with their headers, files for good', async ({ page }) => {
  const replies = new Map<string, string>()
  page.on('response', (reply) => replies.set(new URL(reply.url()).pathname, reply.headers()['cache-control'] ?? ''))
  await page.goto('/ana')
  await awake(page)
  const scripts = [...replies].filter(([path]) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  for (const [path, kept] of scripts) expect(kept, path).toBe('public, max-age=31536000, immutable')
  expect(replies.get('/ana')).toBe('no-store')
})
