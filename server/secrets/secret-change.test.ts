import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mintGrant, redeemGrant } from '#server/members/grant.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { joinedMember } from '#server/test/member.ts'
import { runProgram, startServer } from '#server/test/process.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { STAFF_PASSWORD, staffMember } from '#server/test/staff.ts'
import { rekey, STAFF_APP, seal, unseal } from './key-rows.ts'
import { openKeys } from './secrets.ts'

const OLD = 'the old secret, of good length'
const NEW = 'the new secret, of good length'

let site: Site
beforeAll(async () => {
  site = await testSite({ SECRET: OLD })
  await joinedMember(site)
  await rekey(site.db, site.world.config, site.world.now())
  await site.world.keys.refresh()
})
afterAll(() => site.close())

const rows = () => site.db.selectFrom('server_key').selectAll().orderBy('name').orderBy('version').execute()
let original: Awaited<ReturnType<typeof rows>>
beforeEach(async () => {
  original ??= await rows()
  await site.db.deleteFrom('server_key').execute()
  await site.db.insertInto('server_key').values(original).execute()
})

const openWith = (SECRET: string, SECRET_PREVIOUS?: string) => {
  const lines: string[] = []
  const { db, now } = site.world
  return openKeys(db, { SECRET, SECRET_PREVIOUS }, { now, print: (line) => void lines.push(line) }).then((keys) => ({
    keys,
    lines,
  }))
}

describe('a new SECRET', () => {
  it('23.6 opens the same keys with the old one beside it, and alone from then on', async () => {
    const { signing, hmac } = site.world.keys
    const { keys, lines } = await openWith(NEW, OLD)
    expect([keys.signing.kid, keys.hmac('marks', 'x')]).toEqual([signing.kid, hmac('marks', 'x')])
    expect(lines).toEqual([expect.stringContaining('SECRET was changed')])
    expect((await openWith(NEW, OLD)).lines).toEqual([])
    expect((await openWith(NEW)).keys.publicKeys()).toEqual(site.world.keys.publicKeys())
    await expect(openWith(OLD)).rejects.toThrow('SECRET is not the one')
  })

  it('23.6 processes that start together agree, and those with the old one keep running', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => openWith(NEW, OLD)))
    expect(new Set(opened.map(({ keys }) => keys.signing.kid)).size).toBe(1)
    expect(opened.flatMap(({ lines }) => lines)).toHaveLength(1)
    await site.world.keys.refresh() // opens nothing again
    const { id } = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    const access = { id, access_version: 0 }
    const [first] = opened
    if (!first) return
    expect(await redeemGrant({ ...site.world, keys: first.keys }, mintGrant(site.world, access))).toEqual(access)
    expect(await redeemGrant(site.world, mintGrant({ ...site.world, keys: first.keys }, access))).toEqual(access)
  })

  it('23.6 is refused in a sentence without the right old one, and changes nothing then', async () => {
    await expect(openWith(NEW)).rejects.toThrow('If you have changed it, set SECRET_PREVIOUS to the old one.')
    await expect(openWith(NEW, 'another old one')).rejects.toThrow('Neither SECRET nor SECRET_PREVIOUS is the one')
    const [row] = original
    if (!row) return
    await site.db
      .updateTable('server_key')
      .set({ sealed: seal('a third one', row.name, 'x') })
      .where('name', '=', row.name)
      .where('version', '=', row.version)
      .execute()
    const before = await rows()
    await expect(openWith(NEW, OLD)).rejects.toThrow('Neither SECRET nor SECRET_PREVIOUS')
    expect(await rows()).toEqual(before)
  })

  it('23.6 a wrong SECRET leaves no key behind, also where a kind of key is missing', async () => {
    await site.db.deleteFrom('server_key').where('name', '=', 'data').execute()
    await expect(openWith('a wrong one of good length')).rejects.toThrow('SECRET is not the one')
    expect((await rows()).some(({ name }) => name === 'data')).toBe(false)
  })

  it('23.7 authenticator apps work on, also those that an older version encrypted with SECRET itself', async () => {
    const [older, newer] = [await staffMember(site, 'manager'), await staffMember(site, 'owner')]
    const totp_sealed = seal(OLD, STAFF_APP, older.secret)
    await site.db.updateTable('staff').set({ totp_sealed }).where('id', '=', older.id).execute()
    const signIn = ({ email, code }: typeof older) =>
      site.post('console/sign-in/password', { email, password: STAFF_PASSWORD, code: code() })
    site.advance(30)
    expect((await signIn(older)).statusCode).toBe(200)
    await openWith(NEW, OLD)
    site.advance(30)
    expect([(await signIn(older)).statusCode, (await signIn(newer)).statusCode]).toEqual([200, 200])
    const stored = await site.db.selectFrom('staff').select('totp_sealed').execute()
    expect(stored.map(({ totp_sealed }) => unseal(OLD, STAFF_APP, totp_sealed ?? ''))).toEqual([undefined, undefined])
    expect(JSON.stringify(stored)).not.toContain(older.secret)
  })
})

/** A real process on this database. */
const processWith = (secrets: Record<string, string>) =>
  startServer({ DATABASE_URL: database.url ?? '', DATA_DIR: site.world.config.DATA_DIR, ...secrets })

let database: Awaited<ReturnType<typeof testDatabase>>

describe.runIf(isPostgres)('real processes', () => {
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.close())

  const enrollmentOf = (cookie: string) => /foyer_enrollment=([\w-]+)\./.exec(cookie)?.[1]
  const openPage = async (url: string, cookie = '') => {
    const reply = await fetch(`${url}/ana`, { headers: { cookie } })
    return reply.headers.getSetCookie().join('; ')
  }
  const stop = async ({ child, ended }: Awaited<ReturnType<typeof startServer>>) => {
    child.kill()
    await ended
  }

  it('23.6 one still runs with the old SECRET while another starts with the new one and makes new keys', async () => {
    const old = await processWith({ SECRET: OLD })
    const cookie = await openPage(old.url)
    const fresh = await processWith({ SECRET: NEW, SECRET_PREVIOUS: OLD })
    expect(fresh.output()).toContain('SECRET was changed: all keys are encrypted with the new one.')
    expect(enrollmentOf(await openPage(fresh.url, cookie))).toBe(enrollmentOf(cookie))
    expect(enrollmentOf(await openPage(old.url, await openPage(fresh.url)))).toBeTruthy()
    const [one, other] = await Promise.all(
      [old, fresh].map(({ url }) => fetch(`${url}/.well-known/jwks.json`).then((reply) => reply.text())),
    )
    expect(one).toBe(other)
    await stop(old)
    const refused = runProgram('server/main.mjs', [], { DATABASE_URL: database.url ?? '', SECRET: OLD })
    expect((await refused.ended).code).toBe(1)
    expect(refused.output()).toContain('SECRET is not the one that this database’s keys were encrypted with.')
    const keys = () =>
      fetch(`${fresh.url}/.well-known/jwks.json`).then(async (reply) => (await reply.json()).keys.length)
    expect(await keys()).toBe(1)
    const rekey = runProgram('server/cli/db.ts', ['rekey'], { DATABASE_URL: database.url ?? '', SECRET: NEW })
    expect((await rekey.ended).code, rekey.output()).toBe(0)
    await expect.poll(keys).toBe(2)
    await stop(fresh)
  })
})
