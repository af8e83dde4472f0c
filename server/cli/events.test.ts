import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashNetwork, recordEvent } from '#server/security/security-log.ts'
import { callCommand } from '#server/test/command.ts'
import { isPostgres } from '#server/test/database.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { main } from './db.ts'

describe.runIf(isPostgres)('npm run db -- events', () => {
  let site: Site
  let username: string
  beforeAll(async () => {
    site = await testSite()
    username = (await memberInOffice(site)).username
    site.advance(60)
    await site.post('office/sign-in', { name: username, password: 'Wrong-1234' })
    for (let n = 0; n < 3; n++)
      await recordEvent(site.world, { kind: 'sign_in_failed', address: ['2001:db8:9:1', '2001:db8:9'] })
    await recordEvent(site.world, { kind: 'breaker_opened', details: { breaker: 'codes' } })
  })
  afterAll(() => site.close())

  const events = (...args: string[]) =>
    callCommand(main, ['events', ...args], { DATABASE_URL: site.world.config.DATABASE_URL ?? '' })

  it('22.7 shows all events as a table, newest first', async () => {
    const { output } = await events()
    expect(output).toMatch(/^at +event +member +count +network +details\n2026-11-15 12:01 /)
    expect(output).toMatch(/Wrong password +3 {2,}/)
    expect(output).toMatch(/A breaker opened +breaker codes\n/)
    expect(output).toMatch(new RegExp(`2026-11-15 12:00 +Got a one-time sign-in link +${username} `))
    expect(output).toMatch(/\(5\)\n$/)
  })

  it('22.7 filters by member, kind, time and the network of an address', async () => {
    const kinds = async (...args: string[]) =>
      (await events('--json', ...args)).output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).kind)
        .sort()
    expect(await kinds(`--member=${username.toUpperCase()}`)).toEqual(['grant_minted', 'grant_used', 'sign_in_failed'])
    expect(await kinds(`--member=${username}`, '--kind=grant_used')).toEqual(['grant_used'])
    expect(await kinds('--since=2026-11-15T12:01', '--kind=breaker_opened')).toEqual(['breaker_opened'])
    expect(await kinds('--until=2026-11-15T12:00')).toEqual([])
    expect(await kinds('--address=2001:db8:9:77::1')).toEqual(['sign_in_failed'])
    expect(await kinds('--limit=1')).toHaveLength(1)
    const [line] = (await events('--json', '--address=2001:db8:9::1')).output.split('\n')
    expect(JSON.parse(line ?? '')).toMatchObject({
      kind: 'sign_in_failed',
      count: 3,
      username: null,
      details: {},
      network: hashNetwork(site.world.keys, ['2001:db8:9:1', '2001:db8:9']),
    })
  })

  it.each([
    [['--member=nobody'], "There is no member 'nobody'."],
    [['--kind=dance'], "'dance' is not a kind of event. There are: sign_in, "],
    [['--since=yesterday'], "'yesterday' is not a time."],
    [['--limit=many'], '--limit=many is not a number.'],
    [['--whom=me'], "events has no argument '--whom=me'."],
    [['ada'], "events has no argument 'ada'."],
  ])('22.7 explains what is wrong with %j', async (args, sentence) => {
    const { code, output } = await events(...args)
    expect(code).toBe(1)
    expect(output).toContain(sentence)
  })
})
