import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mintGrant, redeemGrant } from '#server/office/grant.ts'
import { joinedMember } from '#server/test/member.ts'
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
    ...{ keys, lines },
  }))
}

describe('a new SECRET', () => {
  it('20.25 opens the same keys with the old one beside it, and alone from then on', async () => {
    const { signing, hmac } = site.world.keys
    const { keys, lines } = await openWith(NEW, OLD)
    expect([keys.signing.kid, keys.hmac('marks', 'x')]).toEqual([signing.kid, hmac('marks', 'x')])
    expect(lines).toEqual([expect.stringContaining('SECRET was changed')])
    expect((await openWith(NEW, OLD)).lines).toEqual([])
    expect((await openWith(NEW)).keys.publicKeys()).toEqual(site.world.keys.publicKeys())
    await expect(openWith(OLD)).rejects.toThrow('SECRET is not the one')
  })

  it('20.25 processes that start at once agree, and those with the old one run on', async () => {
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

  it('20.25 is refused in a sentence without the right old one, and changes nothing then', async () => {
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

  it('20.25 a wrong SECRET leaves no key behind, also where a kind of key is missing', async () => {
    await site.db.deleteFrom('server_key').where('name', '=', 'data').execute()
    await expect(openWith('a wrong one of good length')).rejects.toThrow('SECRET is not the one')
    expect((await rows()).some(({ name }) => name === 'data')).toBe(false)
  })

  it('20.26 authenticator apps work on, also those that an older version encrypted with SECRET itself', async () => {
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
