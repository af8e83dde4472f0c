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
const check = async (fault?: Fault, groups: Group[] = ['read', 'phone', 'write']): Promise<Result[]> => {
  host.fail(fault)
  return checkHost({
    url: host.url,
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
  it('finds that a host written from the specification holds in every row', async () => {
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

it('a host that answers nothing gets no verdict', async () => {
  await expect(check('dropped_before')).rejects.toThrow(Unreachable)
})

it('a report has every row, and what a host says is only text in it', async () => {
  const results = await check('sponsor_site_is_html')
  const strange = [{ ...results[0], verdict: 'fails', seen: '<script>"\u0007&' } as Result, ...results.slice(1)]
  expect(toHtml(host.url, strange)).toContain('&lt;script&gt;&quot;&amp;')
  expect(toJunit(strange)).toContain('<failure message="&lt;script&gt;&quot;&amp;">')
  expect(toTable(strange).split('\n').at(-1)).toMatch(/^\d+ hold, \d+ warnings, 1 fail, \d+ not tried$/)
})
