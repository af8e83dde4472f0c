import { randomUUID } from 'node:crypto'
import { CompactSign, FlattenedSign, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTouches } from '#server/sponsors/touches.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { verifyConsent } from '../../scripts/verify-consent.mjs'
import { CONSENT_JWS_TYPE, consentBundle } from './consent.ts'
import { mintGrant, redeemGrant } from './grant.ts'

let site: Site
let member_id: string
let bundle: string
let keys: string
beforeAll(async () => {
  site = await testSite()
  await site.post('enrollment/add-enrollment', await filledForm(site, { username: 'lantern' }))
  member_id = (await memberRow()).id
  site.advance(3600)
  bundle = await consentBundle(site.world, member_id)
  keys = (await site.get('/.well-known/jwks.json')).body
})
afterAll(() => site.close())

const memberRow = () => site.db.selectFrom('member').select(['id', 'enrollment_id']).executeTakeFirstOrThrow()

describe('the signed consent', () => {
  it('15.13 can be verified with the public key alone', async () => {
    const { issuer, member, sponsor, accepted, made_at } = verifyConsent(bundle, keys)
    expect({ issuer, member, made_at }).toEqual({
      issuer: 'http://foyer.test',
      member: {
        username: 'lantern',
        first_name: 'Zoë',
        last_name: 'Example',
        joined_at: '2026-11-15T12:00:00.000Z',
      },
      made_at: '2026-11-15T13:00:00.000Z',
    })
    const record = await findTouches(site.db, (await memberRow()).enrollment_id)
    expect(sponsor).toEqual({ site: 'ana', name: "Ana's Paper Lantern Studio", record: record.at(-1)?.hash })
    const texts = await site.db
      .selectFrom('acceptance')
      .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
      .select(['agreement', 'title', 'version', 'acceptance.sha256', 'content'])
      .orderBy('agreement')
      .orderBy('title')
      .execute()
    expect(accepted).toEqual(texts.map((text) => ({ ...text, accepted_at: '2026-11-15T12:00:00.000Z' })))
    expect(new Set(texts.map(({ agreement }) => agreement))).toEqual(new Set(['agreement_1', 'agreement_2']))
  })

  it('15.13 becomes invalid when any single byte changes', () => {
    const indexes = Array.from(bundle, (_, index) => index).filter(
      (index) => index % 101 === 0 || index > bundle.length - 300,
    )
    const undetected = indexes.filter((index) => {
      const other = bundle[index] === 'A' ? 'B' : 'A'
      try {
        return verifyConsent(bundle.slice(0, index) + other + bundle.slice(index + 1), keys)
      } catch {
        return false
      }
    })
    expect(indexes.length).toBeGreaterThan(500)
    expect(undetected).toEqual([])
  })

  it('15.13 is invalid if a stored text was changed without its hash', async () => {
    const other = await testSite()
    await other.post('enrollment/add-enrollment', await filledForm(other))
    const { id } = await other.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    await other.db.updateTable('legal_text').set({ content: 'Something else' }).execute()
    const changed = await consentBundle(other.world, id)
    const otherKeys = (await other.get('/.well-known/jwks.json')).body
    expect(() => verifyConsent(changed, otherKeys)).toThrow('does not match its hash')
    await other.close()
  })
})

describe('the signing key of grants and consents', () => {
  const redeem = (token: string) => redeemGrant(site.world, token)

  it('15.13 a consent does not open the office', async () => {
    const { payload, protected: head, signature } = JSON.parse(bundle)
    expect(await redeem(`${head}.${payload}.${signature}`)).toBeUndefined()
  })

  it.each([CONSENT_JWS_TYPE, 'at+jwt', undefined])('15.13 a token of type %s does not open the office', async (typ) => {
    const { privateKey, kid } = site.world.keys.signing
    const { OFFICE_URL, PUBLIC_URL } = site.world.config
    const seconds = Math.floor(site.world.now().getTime() / 1000)
    const token = (typ: string | undefined) =>
      new SignJWT({ access_version: 0 })
        .setProtectedHeader({ alg: 'ES256', kid, ...(typ ? { typ } : {}) })
        .setIssuer(PUBLIC_URL)
        .setAudience(OFFICE_URL)
        .setSubject(member_id)
        .setJti(randomUUID())
        .setExpirationTime(seconds + 60)
        .sign(privateKey)
    expect(await redeem(await token(typ))).toBeUndefined()
    expect(await redeem(await token('JWT'))).toEqual({ id: member_id, access_version: 0 })
  })

  it('15.13 a grant is not a consent', () => {
    const [head, payload, signature] = mintGrant(site.world, { id: member_id, access_version: 0 }).split('.')
    expect(() => verifyConsent(JSON.stringify({ payload, protected: head, signature }), keys)).toThrow('not a consent')
  })

  it('15.13 a signature by another key is invalid', async () => {
    const { payload } = JSON.parse(bundle)
    const other = await testSite()
    const { privateKey } = other.world.keys.signing
    const head = { alg: 'ES256', kid: site.world.keys.signing.kid, typ: CONSENT_JWS_TYPE }
    const forged = await new FlattenedSign(Buffer.from(payload, 'base64url')).setProtectedHeader(head).sign(privateKey)
    const { protected: forgedHeader, signature } = forged
    expect(() => verifyConsent(JSON.stringify({ payload, protected: forgedHeader, signature }), keys)).toThrow(
      'is not valid',
    )
    const compact = await new CompactSign(Buffer.from(payload, 'base64url')).setProtectedHeader(head).sign(privateKey)
    expect(await redeem(compact)).toBeUndefined()
    await other.close()
  })
})
