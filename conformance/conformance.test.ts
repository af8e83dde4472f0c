import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '#emulators/provider/faults.ts'
import { startProviderHost } from '#emulators/provider/host.ts'
import { checkHost, Unreachable } from './conformance.ts'
import { toHtml, toJunit, toTable } from './report.ts'
import type { Group, Result } from './row.ts'

let host: Awaited<ReturnType<typeof startProviderHost>>
beforeAll(async () => {
  host = await startProviderHost()
})
afterAll(() => host.close())

let count = 0
const check = async (
  fault?: Fault,
  groups: Group[] = ['read', 'phone', 'write'],
  url = host.url,
): Promise<Result[]> => {
  host.fail(fault)
  return checkHost({
    url,
    headers: {},
    encoding: 'json',
    deadline_ms: 1_000,
    groups: new Set(groups),
    sponsor: 'ana',
    phone: '+12025550123',
    cards: { approved: '4242424242424242', declined: '4000000000000002' },
    mark: `conformance${count++}`,
  })
}
const failing = (results: Result[]) => results.filter(({ verdict }) => verdict === 'fails').map(({ id }) => id)

describe('the conformance kit', () => {
  it('passes a host that was written from the specification', async () => {
    const results = await check()
    expect(results.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
  })

  it('writes nothing and calls no phone unless it is asked to', async () => {
    const before = host.seen.requests.length
    const results = await check(undefined, ['read'])
    const calls = new Set(host.seen.requests.slice(before).map(({ call }) => call))
    for (const call of ['add_enrollment', 'send_code', 'verify_code', 'verify_call'] as const)
      expect(calls.has(call)).toBe(false)
    expect(results.filter(({ group }) => group !== 'read').every(({ verdict }) => verdict === 'not tried')).toBe(true)
  })

  it.each<[Fault, string]>([
    ['packages_empty', 'packages.list'],
    ['packages_lost', 'packages.list'],
    ['packages_as_text', 'packages.fields'],
    ['package_without_id', 'packages.fields'],
    ['package_without_image', 'packages.fields'],
    ['package_without_kind', 'packages.fields'],
    ['package_twice', 'packages.unique'],
    ['package_image_elsewhere', 'packages.pictures'],
    ['documents_lost', 'documents.list'],
    ['document_without_title', 'documents.fields'],
    ['document_places_as_text', 'documents.fields'],
    ['total_missing', 'orders.total'],
    ['total_negative', 'orders.total'],
    ['email_message_as_text', 'email.messages'],
    ['username_true', 'username.available'],
    ['everyone_available', 'username.messages'],
    ['sponsor_yes', 'sponsor.active'],
    ['sponsor_true', 'sponsor.active'],
    ['sponsor_without_site', 'sponsor.active'],
    ['hits_lost', 'hits'],
    ['code_status_as_text', 'code.send'],
    ['code_without_message', 'code.send'],
    ['any_code_is_right', 'code.wrong'],
    ['call_without_success', 'call'],
    ['payment_silent', 'enroll.incomplete'],
    ['payment_lowercase', 'enroll.approved'],
    ['token_missing', 'enroll.approved'],
    ['office_is_script', 'enroll.approved'],
    ['text_plain', 'answers.json'],
  ])('with %s, exactly %s fails', async (fault, id) => {
    expect(failing(await check(fault))).toEqual([id])
  })
})

it('a host that never answers gets no verdict', async () => {
  await expect(check('dropped_before')).rejects.toThrow(Unreachable)
})

it('a report has every row, and escapes what the host says', async () => {
  const results = await check('sponsor_site_is_html')
  const strange = [{ ...results[0], verdict: 'fails', seen: '<script>"\u0007&' } as Result, ...results.slice(1)]
  const html = toHtml({ url: host.url, asked_at: new Date(), results: strange })
  expect(html).toContain('&lt;script&gt;&quot;&amp;')
  expect(html).not.toContain('<script>')
  expect(html).toContain('<h1>One requirement isn’t met</h1>')
  for (const { id } of strange) expect(html).toContain(`<code>${id}</code>`)
  expect(toJunit(strange)).toContain('<failure message="&lt;script&gt;&quot;&amp;">')
  expect(toTable(strange).split('\n').at(-1)).toMatch(/^\d+ hold, \d+ warnings, 1 fail, \d+ not tried$/)
})

const run = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, ['conformance/main.ts', ...args], (_error, out, problems) =>
      resolve({ code: child.exitCode ?? -1, output: out + problems }),
    )
  })

describe('25.14 the command', () => {
  it('ends by verdict, and writes the reports', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foyer-conformance-'))
    const files = ['json', 'junit', 'html'].flatMap((name) => [`--${name}`, join(folder, name)])
    host.fail(undefined)
    expect(await run(host.url, '--encoding', 'form', ...files)).toMatchObject({ code: 0 })
    expect(JSON.parse(await readFile(join(folder, 'json'), 'utf8'))).toMatchObject({ url: host.url })
    expect(await readFile(join(folder, 'junit'), 'utf8')).toContain('failures="0"')
    expect(await readFile(join(folder, 'html'), 'utf8')).toContain('Every requirement that was tried is met')
    await rm(folder, { recursive: true })
    host.fail('sponsor_yes')
    expect((await run(host.url)).code).toBe(1)
  })

  it.each([
    [[], 2],
    [['ftp://host.example'], 2],
    [['http://127.0.0.1:9', '--encoding', 'xml'], 2],
    [['http://127.0.0.1:9'], 3],
  ])('with %j ends with %i, which is no verdict', async (args, code) => {
    expect((await run(...args)).code).toBe(code)
  })
})

it('a host that breaks over a body it cannot read fails that row', async () => {
  const breaking = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const isBroken = request.url?.endsWith('/orders') && text.endsWith(':')
    const reply = await fetch(new URL(request.url ?? '', host.url), {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      ...(text ? { body: text } : {}),
    })
    response.writeHead(isBroken ? 500 : reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await reply.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => breaking.once('listening', resolve))
  const url = host.url.replace(/:\d+/, `:${(breaking.address() as AddressInfo).port}`)
  expect(failing(await check(undefined, ['read'], url))).toEqual(['orders.malformed'])
  breaking.close()
})
