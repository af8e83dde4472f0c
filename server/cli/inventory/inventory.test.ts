import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadShell } from '#server/site/shell.ts'
import { callCommand } from '#server/test/command.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { freePort } from '../../../scripts/port.mjs'
import { main } from '../scripts.ts'
import type { Inventory } from './inventory.ts'

let folder: string
let site: Site
let url: string
let inventory: Inventory
const file = () => join(folder, 'script-inventory.json')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-inventory-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  site = await testSite({ PUBLIC_URL: url }, await loadShell())
  await site.app.listen({ port, host: '127.0.0.1' })
  const { code, output } = await run('inventory', file())
  expect(code, output).toBe(0)
  inventory = JSON.parse(await readFile(file(), 'utf8'))
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (...args: string[]) => callCommand(main, args, { PUBLIC_URL: url })

type Reply = { headers: Record<string, string | undefined>; body: string }
type Change = (path: string, reply: Reply) => Reply

let proxy: ReturnType<typeof createServer> | undefined
afterEach(() => void proxy?.close())

/** Someone between the site and its visitors. Returns where they listen. */
async function tamperWith(change: Change): Promise<string> {
  proxy = createServer((incoming, outgoing) => {
    const { hostname, port, host } = new URL(url)
    const headers = { ...incoming.headers, host, 'accept-encoding': 'br' }
    request({ hostname, port, path: incoming.url, headers }, async (reply) => {
      const bytes = await buffer(reply)
      const { 'content-encoding': encoding, 'content-length': _, ...headers } = reply.headers as Reply['headers']
      const body = (encoding === 'br' ? brotliDecompressSync(bytes) : bytes).toString()
      const changed = change(incoming.url ?? '', { headers, body })
      const kept = Object.entries(changed.headers).filter(([, value]) => value !== undefined)
      outgoing.writeHead(reply.statusCode ?? 500, Object.fromEntries(kept)).end(changed.body)
    }).end()
  })
  await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

describe('the inventory of scripts', () => {
  it('24.5 has every script that a page with a card form can load, with hash, purpose and owner', () => {
    const named = inventory.scripts.map(({ file }) => file.replace(/^\/assets\/(\w+)-.*/, '$1'))
    expect(named.sort()).toEqual(
      [
        'checkout',
        'data',
        'fetchStartData',
        'inline',
        'main',
        'makePdf',
        'next',
        'office',
        'openDialog',
        'vendorWidget',
        'verification',
      ].sort(),
    )
    for (const { purpose, owner, sha384 } of inventory.scripts)
      expect([purpose, owner, sha384]).toEqual([
        expect.stringMatching(/\w/),
        expect.stringMatching(/\w/),
        expect.stringMatching(/^sha384-.{64}$/),
      ])
    expect(inventory.pages.map(({ path }) => path)).toEqual(['/master', '/office'])
  })

  it('24.5 lists another company’s captcha with its owner', async () => {
    const { code, output } = await callCommand(main, ['inventory', join(folder, 'other.json')], {
      CAPTCHA: 'hcaptcha',
      CAPTCHA_SITE_KEY: 'x',
      CAPTCHA_SECRET: 'y',
      CAPTCHA_BASE_URL: 'http://127.0.0.1:9',
    })
    expect(code, output).toBe(0)
    const { scripts }: Inventory = JSON.parse(await readFile(join(folder, 'other.json'), 'utf8'))
    expect(scripts.filter(({ sha384 }) => sha384 === null)).toEqual([
      expect.objectContaining({ owner: '127.0.0.1:9', pages: ['/master', '/office'] }),
    ])
  })
})

describe('the check of a running site', () => {
  it('24.6 finds nothing on the site itself, nor behind a proxy that changes nothing', async () => {
    const proxied = await tamperWith((_path, reply) => reply)
    for (const address of [url, `${proxied}/`])
      expect(await run('check', address, file())).toEqual({
        code: 0,
        output: expect.stringMatching(/ serves what .* says: 2 pages, 11 scripts\.\n$/),
      })
  })

  const onPage =
    (change: (reply: Reply) => Reply): Change =>
    (path, reply) =>
      path === '/master' ? change(reply) : reply
  const withPolicy = (change: (policy: string) => string) =>
    onPage(({ headers, body }) => ({
      headers: { ...headers, 'content-security-policy': change(headers['content-security-policy'] ?? '') },
      body,
    }))
  const inBody = (from: string | RegExp, to: string) =>
    onPage(({ headers, body }) => ({ headers, body: body.replace(from, to) }))

  const attacks: [string, Change, RegExp][] = [
    [
      'one byte of a script',
      (path, { headers, body }) => ({ headers, body: path.includes('checkout') ? body.replace('t', 'T') : body }),
      /^\/assets\/checkout-[\w-]{8}\.js was changed: its hash is sha384-\S+, not sha384-\S+\.\n$/,
    ],
    [
      'another script',
      inBody('</head>', '<script src="https://evil.example/x.js"></script></head>'),
      /^\/master loads https:\/\/evil\.example\/x\.js, which is not in the inventory\.\n$/,
    ],
    [
      'a script in capitals and without quotes',
      inBody('</body>', '<SCRIPT async SRC=//evil.example/x.js></SCRIPT></body>'),
      /^\/master loads \/\/evil\.example\/x\.js, which/,
    ],
    [
      'an inline script',
      inBody('<body>', '<body><script>steal()</script>'),
      /^\/master has an inline script that is not in the inventory: sha384-/,
    ],
    [
      'a script that does not end',
      inBody('</html>', '<script src=/x.js>'),
      /^\/master has a script element that does not end\.\n$/,
    ],
    ['a handler', inBody('<body>', '<body><img src=x onerror="steal()">'), /^\/master has a handler onerror, which/],
    [
      'a frame over the form',
      inBody('<body>', '<body><iframe src="//evil.example"></iframe>'),
      /^\/master has an element <iframe>, which/,
    ],
    [
      'a first script that is gone',
      inBody(/<script type="module".*?<\/script>/s, ''),
      /^\/master does not load \/assets\/main-[\w-]+\.js\./,
    ],
    [
      'an origin in the policy',
      withPolicy((policy) => policy.replace("connect-src 'self'", "connect-src 'self' https://evil.example")),
      /^The policy of \/master allows https:\/\/evil\.example in connect-src, which is not in the inventory\.\n$/,
    ],
    [
      'a directive less',
      withPolicy((policy) => policy.replace("form-action 'self'; ", '')),
      /^The policy of \/master lacks form-action\.\n$/,
    ],
    [
      'no policy',
      onPage(({ headers, body }) => ({ headers: { ...headers, 'content-security-policy': undefined }, body })),
      /^\/master lacks the header content-security-policy\.\n$/,
    ],
    [
      'another header',
      onPage(({ headers, body }) => ({ headers: { ...headers, 'x-frame-options': 'SAMEORIGIN' }, body })),
      /^\/master has the header x-frame-options: SAMEORIGIN\. It should be: DENY\.\n$/,
    ],
  ]
  it.each(attacks)('24.6 says that there is %s', async (_what, change, sentence) => {
    const { code, output } = await run('check', await tamperWith(change), file())
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)])
  })

  it('24.6 says what it could not compare', async () => {
    await writeFile(join(folder, 'wrong.json'), '{}')
    const wrong: [string[], RegExp][] = [
      [['http://127.0.0.1:9', file()], /^http:\/\/127\.0\.0\.1:9\/master does not answer: /],
      [[url, join(folder, 'missing.json')], /missing\.json cannot be read/],
      [[url, join(folder, 'wrong.json')], /wrong\.json is not an inventory\./],
      [['join.example', file()], /^npm run scripts:inventory/],
      [[], /^npm run scripts:inventory/],
    ]
    for (const [args, sentence] of wrong)
      expect(await run('check', ...args)).toEqual({ code: 2, output: expect.stringMatching(sentence) })
  })
})
